// Benchmarks random streams and normal variables: bytes and normals per second on one core.
#include <benchmark/benchmark.h>

#include <vector>

#include "muster/random/counter_blocks.h"
#include "muster/random/direction.h"
#include "muster/random/fixed_dot.h"
#include "muster/random/normals.h"
#include "muster/random/samplers.h"

namespace {

using namespace muster::random;

constexpr std::size_t kDimension = 26010;  // the number of parameters of the papers' network

void words(benchmark::State& state) {
  const RunKey key = RunKey::from_seed(1);
  std::vector<std::uint64_t> out(kDimension / 2);
  std::uint64_t client = 0;
  for (auto _ : state) {
    fill_words(key, {Purpose::audit, 0, ++client}, 0, out);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * out.size() * 8));
  state.SetLabel(vector_target());
}
BENCHMARK(words);

void normals(benchmark::State& state) {
  const RunKey key = RunKey::from_seed(1);
  std::vector<float> out(static_cast<std::size_t>(state.range(0)));
  std::uint64_t client = 0;
  for (auto _ : state) {
    fill_normals(key, {Purpose::audit, 0, ++client}, out);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * out.size()));
}
BENCHMARK(normals)->Arg(1000)->Arg(kDimension);

void direction(benchmark::State& state) {
  std::vector<float> out(kDimension), other(kDimension, 0.5f);
  const RunKey key = RunKey::from_seed(1);
  std::uint64_t client = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(fill_direction(key, {Purpose::direction, 0, ++client}, other, out));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * out.size()));
}
BENCHMARK(direction);

void squared_norm(benchmark::State& state) {
  const std::vector<float> x(kDimension, 0.5f);
  for (auto _ : state) benchmark::DoNotOptimize(fixed_order_dot(x, x));
}
BENCHMARK(squared_norm);

// Draws one 64-bit coin for each of a million clients.
void check_in_coins(benchmark::State& state) {
  const RunKey key = RunKey::from_seed(1);
  std::vector<std::uint64_t> out(4096);
  for (auto _ : state) {
    for (std::uint64_t client = 0; client < 1'000'000; client += out.size()) {
      fill_first_words(key, Purpose::check_in, 0, client, out);
    }
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * 1'000'000);
}
BENCHMARK(check_in_coins)->Unit(benchmark::kMillisecond);

void expand_key(benchmark::State& state) {
  std::array<std::uint8_t, 16> bytes{};
  for (auto _ : state) {
    ++bytes[0];
    benchmark::DoNotOptimize(RunKey::from_bytes(bytes));
  }
}
BENCHMARK(expand_key);

void bounded_integer(benchmark::State& state) {
  KeyedStream bits(RunKey::from_seed(1), {Purpose::shuffle});
  for (auto _ : state) benchmark::DoNotOptimize(uniform_below(bits, 6000));
}
BENCHMARK(bounded_integer);

}  // namespace

BENCHMARK_MAIN();
