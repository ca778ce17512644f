// One simulated round of workload W1: the papers' network, 60,000 clients of whom a tenth report, one thread.
//
// cpu_us: CPU microseconds a reporting client, everything in (coins, shuffle, gradient, clipping, noise,
// message, aggregation, server update). floor_us: the bare gradient kernel and fill_normals for as many
// clients, measured in alternation with the rounds of the same run. `floors` is their ratio, which is what
// counts on a busy machine. The overhead row is the round without its clients: coins for 60,000, shuffle,
// waking the team, mean, update.
#include <benchmark/benchmark.h>

#include <ctime>
#include <memory>
#include <vector>

#include "muster/learning/data/digits.h"
#include "muster/learning/gradients/engine.h"
#include "muster/learning/models/architecture.h"
#include "muster/protocols/roll_call_check_in.h"
#include "muster/protocols/shuffle.h"
#include "muster/random/normals.h"
#include "muster/randomizers/gaussian.h"
#include "muster/randomizers/ldp_sgd.h"
#include "muster/simulation/round_engine.h"
#include "muster/simulation/server_update.h"

namespace {

using namespace muster;

constexpr std::uint64_t kClients = 60'000;
constexpr double kRate = 0.1;
const simulation::UpdateRule kRule{0.9, 0.005, 1e-4, 100.0};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// 60,000 examples in memory, as MNIST's: 3,000 drawn ones over and over.
const learning::Dataset& examples() {
  static const learning::Dataset data = [] {
    constexpr std::uint64_t kDrawn = 3000;
    const learning::Dataset drawn = learning::draw_digits(kDrawn, 1, 1).train;
    learning::Dataset all;
    for (std::uint64_t copy = 0; copy < kClients / kDrawn; ++copy) {
      all.labels.insert(all.labels.end(), drawn.labels.begin(), drawn.labels.end());
      all.bytes.insert(all.bytes.end(), drawn.bytes.begin(), drawn.bytes.end());
    }
    return all;
  }();
  return data;
}

void w1_round(benchmark::State& state, bool ldp_sgd) {
  const random::RunKey key = random::RunKey::from_seed(1);
  const auto gradients = learning::make_engine(learning::Architecture::cnn);
  const std::size_t dimension = gradients->parameter_count();
  const auto randomizer = ldp_sgd ? randomizers::make_ldp_sgd(2.0, 0.1, dimension)
                                  : randomizers::make_gaussian(5.0, 0.01, dimension);
  const simulation::Population population(kClients, examples(), key);
  protocols::RollCallByCoins roll_call(protocols::CheckInCoins(key, kRate, 0.0), kClients, 1);
  simulation::WorkerTeam team(1);
  const auto ranks = simulation::alone();
  simulation::RoundEngine engine(*gradients, *randomizer, roll_call, population, key, team, *ranks);
  simulation::ModelState model(learning::initial_parameters(learning::Architecture::cnn, key));
  std::vector<float> estimate(dimension), gradient(dimension), noise(dimension);
  const auto workspace = gradients->make_workspace();
  std::vector<float> inputs(population.inputs());

  std::uint64_t round = 0;
  double spent = 0, floor = 0, clients = 0;
  for (auto _ : state) {
    const double start = cpu_seconds();
    const std::uint64_t reports = engine.run(++round, model.parameters, estimate).messages;
    simulation::apply_update(kRule, 0.01, estimate, model);
    const double middle = cpu_seconds();
    for (std::uint64_t i = 0; i < reports; ++i) {
      const std::uint64_t client = (round * 7919 + i * 10) % kClients;
      gradients->gradient(model.parameters, population.example_of(client, inputs), *workspace, gradient);
      benchmark::ClobberMemory();
    }
    for (std::uint64_t i = 0; i < reports; ++i) {
      random::fill_normals(key, {random::Purpose::audit, round, i}, noise);
      benchmark::ClobberMemory();
    }
    const double end = cpu_seconds();
    spent += middle - start;
    floor += end - middle;
    clients += static_cast<double>(reports);
    state.SetIterationTime(middle - start);
  }
  state.counters["cpu_us"] = spent / clients * 1e6;
  state.counters["floor_us"] = floor / clients * 1e6;
  state.counters["floors"] = spent / floor;
}
BENCHMARK_CAPTURE(w1_round, ldp_sgd, true)->UseManualTime()->Unit(benchmark::kMillisecond)->MinTime(2);
BENCHMARK_CAPTURE(w1_round, gaussian, false)->UseManualTime()->Unit(benchmark::kMillisecond)->MinTime(2);

void round_overhead(benchmark::State& state) {
  const random::RunKey key = random::RunKey::from_seed(1);
  const std::size_t dimension = learning::parameter_count(learning::Architecture::cnn);
  const protocols::CheckInCoins coins(key, kRate, 0.1);
  simulation::WorkerTeam team(static_cast<unsigned>(state.range(0)));
  simulation::ModelState model{std::vector<float>(dimension, 0.01f)};
  randomizers::MessageSum sum(dimension, 0x1p-20);
  const randomizers::MessageSum shard(dimension, 0x1p-20);
  std::vector<float> estimate(dimension);
  std::vector<std::uint64_t> order;
  std::uint64_t round = 0;
  double spent = 0;
  for (auto _ : state) {
    const double start = cpu_seconds();
    order.clear();
    coins.append_reporting(++round, 0, kClients, order);
    protocols::secret_shuffle(std::span(order), round);
    team.run([](unsigned) {});
    for (unsigned worker = 1; worker < team.size(); ++worker) {
      sum.merge(shard);
    }
    sum.mean(estimate);
    sum.clear();
    simulation::apply_update(kRule, 0.01, estimate, model);
    const double spent_now = cpu_seconds() - start;
    spent += spent_now;
    state.SetIterationTime(spent_now);
  }
  state.counters["cpu_ms"] = spent / static_cast<double>(state.iterations()) * 1e3;
}
BENCHMARK(round_overhead)->Arg(1)->Arg(2)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
