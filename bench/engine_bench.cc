// Benchmarks per-example gradients, the mean gradients of clients with several records, and predictions. It
// reports microseconds, the FLOP rate, and the ratio to the time of the multiply-adds alone.
//
// The number of multiply-adds is that of the papers' CNN: 422,208 forward, and 1,065,920 forward and
// backward. (They include the last row and column of the first feature maps, which influence nothing and
// which the fused engine skips.) `x_floor` is the time divided by the time of the same number of
// multiply-adds in registers, measured in the same run. `x_one` is the time of clients with several records
// divided by that of clients with one, for the same records, measured alternately.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "cpu_time.h"
#include "multiply_add_floor.h"
#include "muster/learning/data/digits.h"
#include "muster/learning/gradients/engine.h"
#include "muster/learning/gradients/reference_engine.h"
#include "muster/randomizers/aligned.h"
#include "muster/simulation/client_update.h"

namespace {

using namespace muster::learning;

constexpr std::size_t kForward = 422'208;
constexpr std::size_t kGradient = 1'065'920;

struct Setting {
  explicit Setting(std::unique_ptr<GradientEngine> made, const Architecture& architecture = Architecture::cnn)
      : engine(std::move(made)),
        room(engine->make_workspace()),
        gradient(engine->dimension()),
        data(draw_digits(256, 0, 1).train) {
    const std::vector<float> initial = initial_parameters(architecture, muster::random::RunKey::from_seed(1));
    parameters.assign(initial.begin(), initial.end());
  }
  Example next() { return data.example(at++ % data.size(), buffer); }

  std::unique_ptr<GradientEngine> engine;
  std::unique_ptr<Workspace> room;
  muster::randomizers::AlignedVector<float> parameters;
  muster::randomizers::AlignedVector<float> gradient;
  Dataset data;
  muster::randomizers::AlignedVector<float> buffer = muster::randomizers::AlignedVector<float>(kImagePixels);
  std::size_t at = 0;
};

// Measures the CPU time from its construction to its destruction. The destructor sets the counters `FLOP` and
// `x_floor` of a benchmark whose iterations take `multiply_adds` multiply-adds each.
class Meter {
 public:
  Meter(benchmark::State& state, std::size_t multiply_adds)
      : state_(state),
        multiply_adds_(multiply_adds),
        floor_(muster::bench::multiply_add_floor(multiply_adds)),
        begin_(muster::bench::thread_cpu_seconds()) {}
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;
  ~Meter() {
    const auto runs = static_cast<double>(state_.iterations());
    const double each = (muster::bench::thread_cpu_seconds() - begin_) / runs;
    state_.counters["FLOP"] =
        benchmark::Counter(2.0 * static_cast<double>(multiply_adds_) * runs, benchmark::Counter::kIsRate);
    state_.counters["x_floor"] = each / floor_;
  }

 private:
  benchmark::State& state_;
  std::size_t multiply_adds_;
  double floor_;
  double begin_;
};

void floor_of_gradient(benchmark::State& state) {
  const Meter meter(state, kGradient);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(muster::bench::multiply_adds(kGradient));
}

void gradient(benchmark::State& state, std::unique_ptr<GradientEngine> (*make)(const Architecture&)) {
  Setting s(make(Architecture::cnn));
  s.engine->prepare(s.parameters, *s.room);
  const Meter meter(state, kGradient);
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(s.engine->gradient(s.parameters, s.next(), *s.room, s.gradient));
    benchmark::ClobberMemory();
  }
}

// Models of dense layers write a gradient with as many floats as they have parameters; `x_fill` is the
// time divided by the time of filling it with zeros.
void dense_gradient(benchmark::State& state, const Architecture& architecture) {
  Setting s(make_engine(architecture), architecture);
  double spent = 0, fill = 0;
  for ([[maybe_unused]] auto _ : state) {
    const double start = muster::bench::thread_cpu_seconds();
    for (int i = 0; i < 100; ++i) {
      benchmark::DoNotOptimize(s.engine->gradient(s.parameters, s.next(), *s.room, s.gradient));
      benchmark::ClobberMemory();
    }
    const double middle = muster::bench::thread_cpu_seconds();
    for (int i = 0; i < 100; ++i) {
      std::ranges::fill(s.gradient, 0.0f);
      benchmark::ClobberMemory();
    }
    fill += muster::bench::thread_cpu_seconds() - middle;
    spent += middle - start;
    state.SetIterationTime((middle - start) / 100);
  }
  state.counters["x_fill"] = spent / fill;
}

// Benchmarks a client with several records, which sends the mean of their gradients.
void client(benchmark::State& state, std::unique_ptr<GradientEngine> (*make)(const Architecture&)) {
  using muster::simulation::Record;
  constexpr std::size_t kRecords = 192;  // a multiple of every number of records that a client has below
  const auto several = static_cast<std::size_t>(state.range(0));
  Setting s(make(Architecture::cnn));
  const muster::simulation::ClientUpdate update(*s.engine, s.data);
  const auto room = update.make_workspace();
  update.prepare(s.parameters, *room);
  std::vector<Record> records(kRecords);
  std::iota(records.begin(), records.end(), 0);
  const auto seconds = [&](std::size_t each) {
    const double start = muster::bench::thread_cpu_seconds();
    for (std::size_t at = 0; at < kRecords; at += each) {
      update.evaluate(s.parameters, std::span<const Record>(records).subspan(at, each), nullptr, *room,
                      s.gradient);
      benchmark::ClobberMemory();
    }
    return muster::bench::thread_cpu_seconds() - start;
  };
  double spent = 0, spent_by_one = 0;
  for ([[maybe_unused]] auto _ : state) {
    const double now = seconds(several);
    spent += now;
    spent_by_one += seconds(1);
    state.SetIterationTime(now / kRecords);
  }
  state.counters["x_one"] = spent / spent_by_one;
}

void predict(benchmark::State& state, std::unique_ptr<GradientEngine> (*make)(const Architecture&)) {
  Setting s(make(Architecture::cnn));
  const Meter meter(state, kForward);
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(s.engine->predict(s.parameters, s.next().inputs, *s.room));
  }
}

void digit(benchmark::State& state) {
  const auto key = muster::random::RunKey::from_seed(1);
  std::vector<std::uint8_t> image(kImagePixels);
  std::uint64_t index = 0;
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(draw_digit(key, DigitSet::train, index++, image));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(floor_of_gradient)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(gradient, fused, make_engine)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(gradient, reference, make_reference_engine)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(dense_gradient, logistic, Architecture::logistic)
    ->UseManualTime()
    ->Iterations(100)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(dense_gradient, mlp, Architecture::mlp)
    ->UseManualTime()
    ->Iterations(100)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(client, fused, make_engine)
    ->ArgName("records")
    ->Arg(2)
    ->Arg(12)
    ->Arg(64)
    ->UseManualTime()
    ->Iterations(200)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predict, fused, make_engine)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predict, reference, make_reference_engine)->Unit(benchmark::kMicrosecond);
BENCHMARK(digit)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
