// One point of a round's curve, a whole accountant, and one query of it, against the transform an FFT
// accountant would spend on the same point: an inverse FFT of 2^17 cells, what the n-fold sum at n = 60,000
// needs on a grid.
#include <benchmark/benchmark.h>

#include <unsupported/Eigen/FFT>
#include <vector>

#include "muster/accounting/accountant.h"
#include "muster/accounting/bounds/swap_profile.h"

namespace {

using namespace muster;
using namespace muster::accounting;

ShuffledCheckIn mnist() { return {ClientCount::of(60'000), Rate::of(0.1)}; }

Mechanism mechanism(std::int64_t index) {
  return index == 0 ? Mechanism(PureLocal{2}) : Mechanism(GaussianLocal{5});
}

void reference_fft(benchmark::State& state) {
  Eigen::FFT<double> fft;
  std::vector<std::complex<double>> spectrum(1 << 17, {1e-5, 1e-6});
  std::vector<std::complex<double>> cells;
  for ([[maybe_unused]] auto _ : state) {
    fft.inv(cells, spectrum);
    benchmark::DoNotOptimize(cells.data());
  }
}
BENCHMARK(reference_fft)->Unit(benchmark::kMillisecond);

void curve_point(benchmark::State& state) {
  const ReportingSum sum(mechanism(state.range(0)));
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(swap_delta(sum, mnist(), state.range(0) == 0 ? 0.01 : 0.0015));
  }
  state.SetLabel(state.range(0) == 0 ? "pure, epsilon0 = 2" : "gaussian, sigma = 5");
}
BENCHMARK(curve_point)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void first_epsilon(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) {
    const Accountant accountant(mechanism(state.range(0)), mnist());
    benchmark::DoNotOptimize(accountant.epsilon_upper(6800, Delta::of(1e-5)));
  }
}
BENCHMARK(first_epsilon)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void next_epsilon(benchmark::State& state) {
  const Accountant accountant(mechanism(state.range(0)), mnist());
  std::uint64_t rounds = 6800;
  benchmark::DoNotOptimize(accountant.epsilon_upper(rounds, Delta::of(1e-5)));
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(accountant.epsilon_upper(--rounds, Delta::of(1e-5)));
  }
}
BENCHMARK(next_epsilon)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->Iterations(10);

}  // namespace

BENCHMARK_MAIN();
