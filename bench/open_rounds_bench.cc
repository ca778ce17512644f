// Compares the time of rounds whose vectors come from outside (simulation/open_rounds.h) with a floor, the
// time of making and adding up as many messages alone. There are 26,010 coordinates, and 60,000 clients of
// whom a tenth send.
//
//   in_cache     the vectors are sent eight at a time from the same eight rows
//   from_memory  all vectors of the round lie in main memory, 624 MB, and are sent at once
//   threads      how many times faster from_memory is with two threads than with one, by the clock; it needs
//                two idle cores
//
// The floor hands the same eight rows to a MessageMaker, one after the other, in a loop without a roll call,
// a shuffle or checks. `x_floor` is the ratio of CPU times per message, measured alternately in the same run,
// and `us_each` the CPU microseconds per message.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <vector>

#include "cpu_time.h"
#include "muster/protocols/roll_call_check_in.h"
#include "muster/randomizers/gaussian.h"
#include "muster/randomizers/ldp_sgd.h"
#include "muster/simulation/message_maker.h"
#include "muster/simulation/open_rounds.h"

namespace {

using namespace muster;
using bench::process_cpu_seconds;

constexpr std::uint64_t kClients = 60'000;
constexpr std::size_t kDimension = 26'010;
const random::RunKey kKey = random::RunKey::from_seed(1);

enum Kind : std::int64_t { kGaussian, kLdpSgd };

struct Rounds {
  Rounds(std::int64_t kind, unsigned threads)
      : randomizer(kind == kGaussian ? randomizers::make_gaussian(5.0, 0.01, kDimension)
                                     : randomizers::make_ldp_sgd(2.0, 0.1, kDimension)),
        roll_call(protocols::CheckInCoins(kKey, 0.1, 0.0), kClients, 1),
        team(threads),
        open(*randomizer, nullptr, roll_call, kClients, kKey, team),
        maker(*randomizer, nullptr, kKey, simulation::BadVector::refused),
        estimate(kDimension) {}

  // Sends the vectors of one round, `piece` at a time. After `rows` rows, the first rows are sent again.
  std::uint64_t round(const std::vector<float>& vectors, std::size_t rows, std::size_t piece) {
    const std::span<const std::uint64_t> who = open.open(++number);
    for (std::size_t at = 0; at < who.size(); at += piece) {
      open.send(who.subspan(at, std::min(piece, who.size() - at)), vectors.data() + (at % rows) * kDimension,
                kDimension);
    }
    return open.close(estimate).messages;
  }

  double floor(const std::vector<float>& vectors, std::uint64_t messages) {
    const double start = process_cpu_seconds();
    maker.begin();
    for (std::uint64_t i = 0; i < messages; ++i) {
      maker.make({i, 1, false}, {vectors.data() + (i % 8) * kDimension, kDimension});
    }
    maker.flush();
    maker.end();
    return process_cpu_seconds() - start;
  }

  std::unique_ptr<randomizers::VectorRandomizer> randomizer;
  protocols::RollCallByCoins roll_call;
  simulation::WorkerTeam team;
  simulation::OpenRounds open;
  simulation::MessageMaker maker;
  std::vector<float> estimate;
  std::uint64_t number = 0;
};

std::vector<float> vectors_of(std::size_t rows) {
  std::vector<float> vectors(rows * kDimension);
  for (std::size_t i = 0; i < vectors.size(); ++i) vectors[i] = 1e-3f * static_cast<float>(i % 1013) - 0.5f;
  return vectors;
}

void against_floor(benchmark::State& state, std::size_t rows, std::size_t piece) {
  const std::vector<float> vectors = vectors_of(rows);
  Rounds rounds(state.range(0), 1);
  double spent = 0, least = 0, messages = 0;
  for ([[maybe_unused]] auto _ : state) {
    const double start = process_cpu_seconds();
    const std::uint64_t sent = rounds.round(vectors, rows, piece);
    spent += process_cpu_seconds() - start;
    least += rounds.floor(vectors, sent);
    messages += static_cast<double>(sent);
  }
  state.counters["x_floor"] = spent / least;
  state.counters["us_each"] = 1e6 * spent / messages;
}

void in_cache(benchmark::State& state) { against_floor(state, 8, 8); }
// More rows than the 6,000 clients that are expected to send, because their number is random.
constexpr std::size_t kSenders = 6'500;
void from_memory(benchmark::State& state) { against_floor(state, kSenders, kSenders); }

void threads(benchmark::State& state) {
  const std::vector<float> vectors = vectors_of(kSenders);
  Rounds one(state.range(0), 1), two(state.range(0), 2);
  const auto seconds = [&](Rounds& rounds) {
    const auto start = std::chrono::steady_clock::now();
    rounds.round(vectors, kSenders, kSenders);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  double alone = 0, together = 0;
  for ([[maybe_unused]] auto _ : state) {
    alone += seconds(one);
    together += seconds(two);
  }
  state.counters["x_one_thread"] = alone / together;
}

BENCHMARK(in_cache)->ArgName("ldp-sgd")->Arg(kGaussian)->Arg(kLdpSgd)->Iterations(2)->Unit(
    benchmark::kSecond);
BENCHMARK(from_memory)
    ->ArgName("ldp-sgd")
    ->Arg(kGaussian)
    ->Arg(kLdpSgd)
    ->Iterations(2)
    ->Unit(benchmark::kSecond);
BENCHMARK(threads)->ArgName("ldp-sgd")->Arg(kGaussian)->Arg(kLdpSgd)->Iterations(2)->Unit(benchmark::kSecond);

}  // namespace

BENCHMARK_MAIN();
