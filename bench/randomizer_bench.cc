// Benchmarks randomizers at the size of the papers' network on one thread.
//
// The counter `floors` of each row is its time divided by the noise floor: the time that fill_normals takes
// for the same dimension, measured in the same run.
#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <vector>

#include "cpu_time.h"
#include "muster/random/normals.h"
#include "muster/randomizers/gaussian.h"
#include "muster/randomizers/ldp_sgd.h"

namespace {

using namespace muster;

constexpr std::size_t kDimension = 26010;
constexpr int kRepeats = 100;

// Measures `work` in alternation with the noise floor.
template <class Work>
void against_floor(benchmark::State& state, Work work) {
  const random::RunKey key = random::RunKey::from_seed(1);
  randomizers::AlignedVector<float> noise(kDimension);
  std::uint64_t client = 0;
  double spent = 0, floor = 0;
  for (auto _ : state) {
    const double start = bench::thread_cpu_seconds();
    for (int i = 0; i < kRepeats; ++i) work(++client);
    const double middle = bench::thread_cpu_seconds();
    for (int i = 0; i < kRepeats; ++i) {
      random::fill_normals(key, {random::Purpose::audit, 0, ++client}, noise);
      benchmark::ClobberMemory();
    }
    floor += (bench::thread_cpu_seconds() - middle) / kRepeats;
    spent += (middle - start) / kRepeats;
    state.SetIterationTime((middle - start) / kRepeats);
  }
  const auto n = static_cast<double>(state.iterations());
  state.counters["floor_us"] = floor / n * 1e6;
  state.counters["floors"] = spent / floor;
}

randomizers::AlignedVector<float> gradient() {
  randomizers::AlignedVector<float> g(kDimension);
  for (std::size_t i = 0; i < g.size(); ++i) g[i] = std::sin(static_cast<float>(i));
  return g;
}

void client_and_aggregator(benchmark::State& state, const randomizers::VectorRandomizer& randomizer) {
  const random::RunKey key = random::RunKey::from_seed(1);
  const auto scratch = randomizer.make_scratch();
  randomizers::MessageSum sum(kDimension, randomizer.step());
  std::array<randomizers::Message, randomizers::VectorRandomizer::kPass> messages;
  const randomizers::AlignedVector<float> g = gradient();
  against_floor(state, [&](std::uint64_t client) {
    randomizers::Message& message = messages[(client - 1) % messages.size()];
    randomizer.randomize(g, key, 1, client, *scratch, message);
    if (&message == &messages.back()) randomizer.accumulate_all(messages, *scratch, sum);
  });
}

void ldp_sgd(benchmark::State& state) {
  client_and_aggregator(state, *randomizers::make_ldp_sgd(2, 0.1, kDimension));
}
BENCHMARK(ldp_sgd)->UseManualTime()->Iterations(200)->Unit(benchmark::kMicrosecond);

void gaussian(benchmark::State& state) {
  client_and_aggregator(state, *randomizers::make_gaussian(5, 0.1, kDimension));
}
BENCHMARK(gaussian)->UseManualTime()->Iterations(200)->Unit(benchmark::kMicrosecond);

// Aggregates messages of other clients, so every direction must be computed from its seed.
void ldp_sgd_aggregator(benchmark::State& state) {
  const auto randomizer = randomizers::make_ldp_sgd(2, 0.1, kDimension);
  const auto scratch = randomizer->make_scratch();
  randomizers::MessageSum sum(kDimension, randomizer->step());
  std::array<randomizers::Message, randomizers::VectorRandomizer::kPass> messages;
  against_floor(state, [&](std::uint64_t client) {
    randomizers::SignedDirectionMessage message;
    for (std::size_t i = 0; i < 8; ++i) message.seed[i] = static_cast<std::uint8_t>(client >> (8 * i));
    message.positive = (client & 4) != 0;
    messages[(client - 1) % messages.size()] = message;
    if (client % messages.size() == 0) randomizer->accumulate_all(messages, *scratch, sum);
  });
}
BENCHMARK(ldp_sgd_aggregator)->UseManualTime()->Iterations(200)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
