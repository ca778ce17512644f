// Benchmarks large populations: coins, a round of ten million clients, and the part of a round that only
// one thread does.
//
//   coins              the coins of all clients. `ns` is the CPU nanoseconds per client.
//   ten_million_round  10^7 clients at rate 1e-4 over 60,000 examples, on one thread. `cpu_ms` is the CPU
//                      time of a round. `floor_ms`, measured in alternation with it, is that of the bare
//                      gradient kernel and fill_normals for as many messages. `floors` is cpu_ms / floor_ms,
//                      which is the number to compare on a busy machine.
//   serial             `serial_us` is the CPU microseconds per round that one thread spends while the others
//                      wait (shuffle, merging a second worker's sum, mean, update; also the coins if one
//                      thread tosses them). `of2`, `of16` and `of64` are by Amdahl's law the largest gains
//                      of 2, 16 and 64 threads over one.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "cpu_time.h"
#include "muster/learning/data/digits.h"
#include "muster/learning/gradients/engine.h"
#include "muster/learning/models/architecture.h"
#include "muster/protocols/roll_call_check_in.h"
#include "muster/protocols/shuffle.h"
#include "muster/random/normals.h"
#include "muster/randomizers/gaussian.h"
#include "muster/simulation/round_engine.h"
#include "muster/simulation/server_update.h"

namespace {

using namespace muster;
using bench::process_cpu_seconds;

void coins(benchmark::State& state) {
  const auto clients = static_cast<std::uint64_t>(state.range(0));
  const protocols::CheckInCoins toss(random::RunKey::from_seed(1), 1e-6, 0.0);
  std::vector<std::uint64_t> reporting;
  std::uint64_t round = 0;
  const double start = process_cpu_seconds();
  for (auto _ : state) {
    reporting.clear();
    toss.append_reporting(++round, 0, clients, reporting);
    benchmark::DoNotOptimize(reporting.data());
  }
  state.counters["ns"] = (process_cpu_seconds() - start) / static_cast<double>(state.iterations()) /
                         static_cast<double>(clients) * 1e9;
}
BENCHMARK(coins)->Arg(10'000'000)->Arg(1'000'000'000)->Unit(benchmark::kMillisecond);

// Returns 60,000 examples in memory, as many as MNIST has: 3,000 drawn digits, repeated.
const learning::Dataset& examples() {
  static const learning::Dataset data = [] {
    constexpr std::uint64_t kDrawn = 3000, kCopies = 20;
    const learning::Dataset drawn = learning::draw_digits(kDrawn, 1, 1).train;
    learning::Dataset all;
    for (std::uint64_t copy = 0; copy < kCopies; ++copy) {
      all.labels.insert(all.labels.end(), drawn.labels.begin(), drawn.labels.end());
      all.bytes.insert(all.bytes.end(), drawn.bytes.begin(), drawn.bytes.end());
    }
    return all;
  }();
  return data;
}

// A population of `clients` clients, of which a fraction `rate` reports, and the papers' network.
struct Workload {
  Workload(std::uint64_t n, double check_in)
      : clients(n),
        rate(check_in),
        population({.clients = clients, .share = true}, examples(), key),
        roll_call(protocols::CheckInCoins(key, rate, 0.0), clients, 1),
        engine(*gradients, *randomizer, roll_call, population, key, team, *ranks),
        model(learning::initial_parameters(learning::Architecture::cnn, key)),
        estimate(dimension) {}

  std::uint64_t step(std::uint64_t round) {
    const std::uint64_t messages = engine.run(round, model.parameters, estimate).messages;
    simulation::apply_update(rule, 0.01, estimate, model);
    return messages;
  }

  random::RunKey key = random::RunKey::from_seed(1);
  std::uint64_t clients;
  double rate;
  std::unique_ptr<learning::GradientEngine> gradients = learning::make_engine(learning::Architecture::cnn);
  std::size_t dimension = gradients->dimension();
  std::unique_ptr<randomizers::VectorRandomizer> randomizer =
      randomizers::make_gaussian(5.0, 0.01, dimension);
  simulation::Population population;
  protocols::RollCallByCoins roll_call;
  simulation::WorkerTeam team{1};
  std::unique_ptr<simulation::Ranks> ranks = simulation::alone();
  simulation::RoundEngine engine;
  simulation::UpdateRule rule{0.9, 0.005, 1e-4, 100.0};
  simulation::ModelState model;
  std::vector<float> estimate;
};

void ten_million_round(benchmark::State& state) {
  Workload work(10'000'000, 1e-4);
  const auto workspace = work.gradients->make_workspace();
  std::vector<float> inputs(work.population.data().shape.size()), vector(work.dimension);
  std::uint64_t round = 0;
  double spent = 0, floor = 0;
  for (auto _ : state) {
    const double start = process_cpu_seconds();
    const std::uint64_t messages = work.step(++round);
    const double middle = process_cpu_seconds();
    work.gradients->prepare(work.model.parameters, *workspace);
    for (std::uint64_t i = 0; i < messages; ++i) {
      work.gradients->gradient(work.model.parameters, examples().example(i * 57 % 60'000, inputs), *workspace,
                               vector);
      random::fill_normals(work.key, {random::Purpose::audit, round, i}, vector);
      benchmark::ClobberMemory();
    }
    spent += middle - start;
    floor += process_cpu_seconds() - middle;
    state.SetIterationTime(middle - start);
  }
  const auto rounds = static_cast<double>(state.iterations());
  state.counters["cpu_ms"] = spent / rounds * 1e3;
  state.counters["floor_ms"] = floor / rounds * 1e3;
  state.counters["floors"] = spent / floor;
}
BENCHMARK(ten_million_round)->UseManualTime()->Unit(benchmark::kMillisecond)->MinTime(2);

void serial(benchmark::State& state, std::uint64_t clients, double rate, bool coins_shared) {
  Workload work(clients, rate);
  const randomizers::MessageSum shard = work.randomizer->make_sum();
  randomizers::MessageSum sum = work.randomizer->make_sum();
  std::vector<protocols::Sender> order;
  std::uint64_t round = 0;
  double whole = 0, alone = 0;
  for (auto _ : state) {
    const double start = process_cpu_seconds();
    work.step(++round);
    const double middle = process_cpu_seconds();
    order.clear();
    work.roll_call.append_senders(round, {}, order);
    const double called = process_cpu_seconds();
    protocols::secret_shuffle(std::span(order), round);
    work.team.run([](unsigned) {});
    sum.merge(shard);
    sum.mean(work.estimate);
    simulation::apply_update(work.rule, 0.0, work.estimate, work.model);
    whole += middle - start;
    alone += process_cpu_seconds() - (coins_shared ? called : middle);
    state.SetIterationTime(middle - start);
  }
  const double part = alone / whole;
  const auto gain = [part](double threads) { return 1 / (part + (1 - part) / threads); };
  state.counters["serial_us"] = alone / static_cast<double>(state.iterations()) * 1e6;
  state.counters["of2"] = gain(2);
  state.counters["of16"] = gain(16);
  state.counters["of64"] = gain(64);
}
BENCHMARK_CAPTURE(serial, w1, 60'000, 0.1, false)->UseManualTime()->Unit(benchmark::kMillisecond)->MinTime(2);
BENCHMARK_CAPTURE(serial, ten_million, 10'000'000, 1e-4, true)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->MinTime(2);

}  // namespace

BENCHMARK_MAIN();
