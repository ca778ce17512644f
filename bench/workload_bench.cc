// Times the workloads of docs/speed.md. W1_message, W1_sum, W2 and W3 are also divided by a floor, which is
// the CPU time of the arithmetic that cannot be avoided. Workload and floor are measured alternately in the
// same run.
//
//   W1_message  a round of the papers' network: 60,000 clients of whom a tenth report; coins, shuffle,
//               gradients, clipping, noise on every message, aggregation, server update. Floor: the
//               gradients' multiply-adds at the core's peak and a normal for every coordinate of every
//               message.
//   W1_sum      the same round with one draw of noise for the sum of all messages. Floor: only the
//               multiply-adds.
//   W2          6,000 messages of ldp-sgd decoded and added up: unit vectors of R^26010 from their seeds.
//               Floor: as many normals as these vectors have coordinates.
//   W3          10,000 images classified, from bytes to accuracy. Floor: the multiply-adds of the predictions
//               at the core's peak.
//   W1_threads  how many times faster W1_message is with two threads than with one. `wall` is by the clock,
//               and needs an idle machine. `cpu` is what two idle cores would gain, c1 / (s + (c2 - s) / 2),
//               where c1 and c2 are the CPU times of a round with one and with two threads, and s is the CPU
//               time in which only one thread works.
//   overhead    W1_message without the work of its clients, for 1 and 2 workers.
//
// Other counters: `x_floor` is the ratio of the workload's CPU time to the floor's; `us_each` is the
// workload's CPU microseconds per message or image; `floor_us` is the floor's.
#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <memory>
#include <vector>

#include "cpu_time.h"
#include "multiply_add_floor.h"
#include "muster/learning/data/digits.h"
#include "muster/learning/gradients/engine.h"
#include "muster/learning/models/architecture.h"
#include "muster/protocols/roll_call_check_in.h"
#include "muster/protocols/shuffle.h"
#include "muster/random/normals.h"
#include "muster/randomizers/gaussian.h"
#include "muster/randomizers/gaussian_sum.h"
#include "muster/randomizers/ldp_sgd.h"
#include "muster/simulation/evaluation.h"
#include "muster/simulation/round_engine.h"
#include "muster/simulation/server_update.h"

namespace {

using namespace muster;
using bench::process_cpu_seconds;

constexpr std::uint64_t kClients = 60'000;
constexpr double kRate = 0.1;
constexpr std::uint64_t kReports = 6'000;
constexpr std::uint64_t kImages = 10'000;
constexpr std::size_t kForward = 422'208;     // multiply-adds of one prediction
constexpr std::size_t kGradient = 1'065'920;  // multiply-adds of one gradient, forward and backward
const simulation::UpdateRule kRule{0.9, 0.005, 1e-4, 100.0};
const random::RunKey kKey = random::RunKey::from_seed(1);

enum class Randomizer { gaussian, ldp_sgd };

std::unique_ptr<randomizers::VectorRandomizer> make(Randomizer kind, std::size_t dimension) {
  return kind == Randomizer::ldp_sgd ? randomizers::make_ldp_sgd(2.0, 0.1, dimension)
                                     : randomizers::make_gaussian(5.0, 0.01, dimension);
}

// Returns `count` examples in memory: 2,000 drawn digits, repeated.
learning::Dataset examples(std::uint64_t count) {
  constexpr std::uint64_t kDrawn = 2000;
  static const learning::Dataset drawn = learning::draw_digits(kDrawn, 1, 1).train;
  learning::Dataset all;
  for (std::uint64_t copy = 0; copy < count / kDrawn; ++copy) {
    all.labels.insert(all.labels.end(), drawn.labels.begin(), drawn.labels.end());
    all.bytes.insert(all.bytes.end(), drawn.bytes.begin(), drawn.bytes.end());
  }
  return all;
}

// Everything that a round of W1 needs.
struct Run {
  Run(Randomizer kind, bool sum_alone, unsigned threads)
      : gradients(learning::make_engine(learning::Architecture::cnn)),
        randomizer(make(kind, gradients->dimension())),
        sum(sum_alone ? randomizers::make_gaussian_sum(5.0, 0.01, gradients->dimension()) : nullptr),
        population({.clients = kClients}, data(), kKey),
        roll_call(protocols::CheckInCoins(kKey, kRate, 0.0), kClients, 1),
        team(threads),
        ranks(simulation::alone()),
        engine(*gradients, *randomizer, roll_call, population, kKey, team, *ranks, sum.get()),
        model(learning::initial_parameters(learning::Architecture::cnn, kKey)),
        estimate(gradients->dimension()) {}

  static const learning::Dataset& data() {
    static const learning::Dataset all = examples(kClients);
    return all;
  }
  std::uint64_t round() {
    const std::uint64_t messages = engine.run(++rounds, model.parameters, estimate).messages;
    simulation::apply_update(kRule, 0.01, estimate, model);
    return messages;
  }

  std::unique_ptr<learning::GradientEngine> gradients;
  std::unique_ptr<randomizers::VectorRandomizer> randomizer;
  std::unique_ptr<randomizers::SumSampler> sum;
  simulation::Population population;
  protocols::RollCallByCoins roll_call;
  simulation::WorkerTeam team;
  std::unique_ptr<simulation::Ranks> ranks;
  simulation::RoundEngine engine;
  simulation::ModelState model;
  std::vector<float> estimate;
  std::uint64_t rounds = 0;
};

// Returns the CPU seconds for filling `count` vectors with normals, each as long as the model.
double normals_floor(std::uint64_t count) {
  static randomizers::AlignedVector<float> noise(learning::parameter_count(learning::Architecture::cnn));
  static std::uint64_t client = 0;
  const double start = process_cpu_seconds();
  for (std::uint64_t i = 0; i < count; ++i) {
    random::fill_normals(kKey, {random::Purpose::audit, 0, ++client}, noise);
    benchmark::ClobberMemory();
  }
  return process_cpu_seconds() - start;
}

// Returns the CPU seconds of `count` times `each` multiply-adds.
double multiply_add_floor(std::uint64_t count, std::size_t each) {
  const double start = process_cpu_seconds();
  for (std::uint64_t i = 0; i < count; ++i) benchmark::DoNotOptimize(bench::multiply_adds(each));
  return process_cpu_seconds() - start;
}

// Measures work(), which returns the number of items done, alternately with floor(items), which returns CPU
// seconds.
template <class Work, class Floor>
void against(benchmark::State& state, Work work, Floor floor) {
  double spent = 0, least = 0, items = 0;
  for ([[maybe_unused]] auto _ : state) {
    const double start = process_cpu_seconds();
    const std::uint64_t done = work();
    const double took = process_cpu_seconds() - start;
    spent += took;
    least += floor(done);
    items += static_cast<double>(done);
    state.SetIterationTime(took);
  }
  state.counters["us_each"] = spent / items * 1e6;
  state.counters["floor_us"] = least / items * 1e6;
  state.counters["x_floor"] = spent / least;
}

void w1_message(benchmark::State& state, Randomizer kind) {
  Run run(kind, false, 1);
  against(
      state, [&] { return run.round(); },
      [](std::uint64_t n) { return multiply_add_floor(n, kGradient) + normals_floor(n); });
}

void w1_sum(benchmark::State& state) {
  Run run(Randomizer::gaussian, true, 1);
  against(
      state, [&] { return run.round(); }, [](std::uint64_t n) { return multiply_add_floor(n, kGradient); });
}

void w2(benchmark::State& state) {
  const std::size_t dimension = learning::parameter_count(learning::Architecture::cnn);
  const auto randomizer = make(Randomizer::ldp_sgd, dimension);
  const auto scratch = randomizer->make_scratch();
  randomizers::MessageSum sum = randomizer->make_sum();
  std::vector<randomizers::Message> messages;
  for (std::uint64_t i = 0; i < kReports; ++i) {
    randomizers::SignedDirectionMessage message;
    message.seed[0] = static_cast<std::uint8_t>(i);
    message.seed[1] = static_cast<std::uint8_t>(i >> 8);
    message.positive = i % 3 == 0;
    messages.emplace_back(message);
  }
  std::vector<float> mean(dimension);
  against(
      state,
      [&] {
        sum.clear();
        randomizer->accumulate_all(messages, *scratch, sum);
        randomizer->mean(sum, mean);
        return kReports;
      },
      normals_floor);
}

void w3(benchmark::State& state) {
  const auto gradients = learning::make_engine(learning::Architecture::cnn);
  const learning::Dataset test = examples(kImages);
  const std::vector<float> model = learning::initial_parameters(learning::Architecture::cnn, kKey);
  simulation::WorkerTeam team(1);
  const auto evaluator = simulation::make_classifier_evaluator(*gradients, test, team);
  against(
      state,
      [&] {
        benchmark::DoNotOptimize(evaluator->score(model));
        return kImages;
      },
      [](std::uint64_t n) { return multiply_add_floor(n, kForward); });
}

// A round without the work of its clients (gradients and messages); round() returns its CPU seconds.
class Overhead {
 public:
  explicit Overhead(unsigned threads)
      : team_(threads), model_{std::vector<float>(kDimension, 0.01f)}, estimate_(kDimension) {}

  double round() {
    const double start = process_cpu_seconds();
    order_.clear();
    coins_.append_reporting(++rounds_, 0, kClients, order_);
    protocols::secret_shuffle(std::span(order_), rounds_);
    team_.run([](unsigned) {});
    for (unsigned worker = 1; worker < team_.size(); ++worker) sum_.merge(shard_);
    sum_.mean(estimate_);
    sum_.clear();
    simulation::apply_update(kRule, 0.01, estimate_, model_);
    return process_cpu_seconds() - start;
  }

 private:
  static constexpr std::size_t kDimension = 26'010;
  const protocols::CheckInCoins coins_{kKey, kRate, 0.1};
  simulation::WorkerTeam team_;
  simulation::ModelState model_;
  randomizers::MessageSum sum_{kDimension, 0x1p-20};
  const randomizers::MessageSum shard_{kDimension, 0x1p-20};
  std::vector<float> estimate_;
  std::vector<std::uint64_t> order_;
  std::uint64_t rounds_ = 0;
};

void w1_threads(benchmark::State& state) {
  Run one(Randomizer::gaussian, false, 1), two(Randomizer::gaussian, false, 2);
  Overhead overhead(2);
  double cpu_one = 0, cpu_two = 0, alone = 0, wall_one = 0, wall_two = 0;
  using Clock = std::chrono::steady_clock;
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = Clock::now();
    const double start = process_cpu_seconds();
    one.round();
    const auto between = Clock::now();
    const double middle = process_cpu_seconds();
    two.round();
    wall_one += std::chrono::duration<double>(between - begin).count();
    wall_two += std::chrono::duration<double>(Clock::now() - between).count();
    cpu_one += middle - start;
    const double took = process_cpu_seconds() - middle;
    cpu_two += took;
    alone += overhead.round();
    state.SetIterationTime(took);
  }
  state.counters["wall"] = wall_one / wall_two;
  state.counters["cpu"] = cpu_one / (alone + (cpu_two - alone) / 2);
}

void overhead(benchmark::State& state) {
  Overhead round(static_cast<unsigned>(state.range(0)));
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(round.round());
}

BENCHMARK_CAPTURE(w1_message, gaussian, Randomizer::gaussian)
    ->Name("W1_message/gaussian")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->MinTime(2);
BENCHMARK_CAPTURE(w1_message, ldp_sgd, Randomizer::ldp_sgd)
    ->Name("W1_message/ldp_sgd")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->MinTime(2);
BENCHMARK(w1_sum)->Name("W1_sum/gaussian")->UseManualTime()->Unit(benchmark::kMillisecond)->MinTime(2);
BENCHMARK(w2)->Name("W2")->UseManualTime()->Unit(benchmark::kMillisecond)->MinTime(2);
BENCHMARK(w3)->Name("W3")->UseManualTime()->Unit(benchmark::kMillisecond)->MinTime(2);
BENCHMARK(w1_threads)->Name("W1_threads")->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(10);
BENCHMARK(overhead)->Arg(1)->Arg(2)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
