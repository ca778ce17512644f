// Measures the time that the accountant takes for an answer, on one core: for single rounds, composed rounds,
// Renyi divergences, random allocation and calibration. For comparison, reference_fft measures what an FFT
// accountant would spend on ONE point of a round's curve: an inverse FFT of 2^17 cells, which a sum of n =
// 60,000 terms needs on a grid. The counter `ffts` of an answer is its time as a multiple of one such FFT,
// measured in the same run; other counters show the answers.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <unsupported/Eigen/FFT>
#include <vector>

#include "cpu_time.h"
#include "muster/accounting/accountant.h"
#include "muster/papers/random_allocation.h"
#include "muster/papers/renyi/homogeneous_rdp.h"
#include "muster/plan/calibration/calibration.h"
#include "muster/plan/source.h"
#include "muster/theorems/check_in/swap_profile.h"

namespace {

using namespace muster;
using namespace muster::accounting;

Question at_delta(double delta) { return {Question::Kind::epsilon_at_delta, delta}; }

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

// Returns the CPU seconds of one such FFT: the median of nine, which is measured on the first call.
double fft_seconds() {
  static const double median = [] {
    Eigen::FFT<double> fft;
    std::vector<std::complex<double>> spectrum(1 << 17, {1e-5, 1e-6});
    std::vector<std::complex<double>> cells;
    std::vector<double> seconds;
    for (int i = 0; i < 9; ++i) {
      const double start = bench::thread_cpu_seconds();
      fft.inv(cells, spectrum);
      benchmark::DoNotOptimize(cells.data());
      seconds.push_back(bench::thread_cpu_seconds() - start);
    }
    std::ranges::sort(seconds);
    return seconds[4];
  }();
  return median;
}

// Sets the counter `ffts` for iterations that took `seconds` of CPU time together.
void count_ffts(benchmark::State& state, double seconds) {
  state.counters["ffts"] = seconds / static_cast<double>(state.iterations()) / fft_seconds();
}

//--- one point of a round's curve

void curve_point(benchmark::State& state, const Mechanism& mechanism, double epsilon) {
  const ReportingSum sum(mechanism);
  const ShuffledCheckIn mnist{ClientCount::of(60'000), Rate::of(0.1)};
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(swap_delta(sum, mnist, epsilon));
  }
}
BENCHMARK_CAPTURE(curve_point, pure, PureLocal{2}, 0.01)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(curve_point, gaussian, GaussianLocal{5}, 0.0015)->Unit(benchmark::kMillisecond);

// --- only the best upper bound, each time by a new accountant. A process keeps the tables of Gaussian types
// for the values of sigma that it was asked about last, so best_upper has its tables from the second
// iteration on.

struct Row {
  const char* name;
  Mechanism mechanism;
  Participation participation;
  std::uint64_t rounds;
  double delta;
};

ShuffledCheckIn check_in(std::uint64_t clients, double rate) {
  return {ClientCount::of(clients), Rate::of(rate)};
}
Shuffle everybody(std::uint64_t clients) { return Shuffle(ClientCount::of(clients)); }

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"single/pure/shuffle/n=1e8", PureLocal{4}, everybody(100'000'000), 1, 1e-8},
      {"single/10-rr/shuffle/n=1e8", KRandomizedResponse{4, 10}, everybody(100'000'000), 1, 1e-8},
      {"single/pure/check-in/n=1e8", PureLocal{2}, check_in(100'000'000, 0.1), 1, 1e-8},
      {"single/10-rr/check-in/n=1e8", KRandomizedResponse{2, 10}, check_in(100'000'000, 0.1), 1, 1e-8},
      {"single/class-c/check-in/n=1e8", LdpSgdLocal{2}, check_in(100'000'000, 0.1), 1, 1e-8},
      {"composed/class-c/6800", LdpSgdLocal{2}, check_in(60'000, 0.1), 6'800, 1e-5},
      {"composed/class-c/100000", LdpSgdLocal{2}, check_in(1'000'000, 0.001), 100'000, 1e-8},
      {"composed/class-c/1200", LdpSgdLocal{1.5}, check_in(60'000, 1.0 / 6), 1'200, 1e-5},
      {"composed/class-c/1000", LdpSgdLocal{2}, check_in(1'000'000, 0.01), 1'000, 1e-8},
      {"composed/pure/6800", PureLocal{2}, check_in(60'000, 0.1), 6'800, 1e-5},
      {"composed/pure/100000", PureLocal{2}, check_in(1'000'000, 0.001), 100'000, 1e-8},
      {"composed/pure/1200", PureLocal{1.5}, check_in(60'000, 1.0 / 6), 1'200, 1e-5},
      {"composed/pure/1000", PureLocal{2}, check_in(1'000'000, 0.01), 1'000, 1e-8},
      {"composed/gaussian/5540", GaussianLocal{5}, check_in(60'000, 0.1), 5'540, 1e-5},
      {"composed/gaussian/1", GaussianLocal{5}, check_in(60'000, 0.1), 1, 1e-6},
      {"composed/gaussian/plain-shuffle", GaussianLocal{5}, everybody(60'000), 1, 1.0 / 60'000},
      {"heavy/sigma=1.75/1", GaussianLocal{1.75}, check_in(60'000, 0.1), 1, 1e-5},
      {"heavy/sigma=1.75/1000", GaussianLocal{1.75}, check_in(60'000, 0.1), 1'000, 1e-5},
      {"heavy/sigma=1/1", GaussianLocal{1}, check_in(60'000, 0.1), 1, 1e-5},
      {"heavy/sigma=1/1000", GaussianLocal{1}, check_in(60'000, 0.1), 1'000, 1e-5},
      {"heavy/sigma=0.7/1", GaussianLocal{0.7}, check_in(60'000, 0.1), 1, 1e-5},
      {"heavy/sigma=0.7/1000", GaussianLocal{0.7}, check_in(60'000, 0.1), 1'000, 1e-5},
      {"heavy/sigma=0.5/1", GaussianLocal{0.5}, check_in(60'000, 0.1), 1, 1e-5},
      {"heavy/sigma=0.5/1000", GaussianLocal{0.5}, check_in(60'000, 0.1), 1'000, 1e-5},
  };
  return all;
}

void best_upper(benchmark::State& state) {
  const Row& row = rows().at(static_cast<std::size_t>(state.range(0)));
  double epsilon = 0;
  const double start = bench::thread_cpu_seconds();
  for ([[maybe_unused]] auto _ : state) {
    const Accountant accountant(row.mechanism, row.participation);
    epsilon = accountant.upper(row.rounds, at_delta(row.delta)).value();
    benchmark::DoNotOptimize(epsilon);
  }
  count_ffts(state, bench::thread_cpu_seconds() - start);
  state.counters["epsilon"] = epsilon;
  state.SetLabel(row.name);
}

// Times answers to the questions of best_upper, each in a process of its own that has no tables yet. This is
// the time that one call of the command takes besides starting.
void fresh_process(benchmark::State& state) {
  const Row& row = rows().at(static_cast<std::size_t>(state.range(0)));
  double all = 0;
  for ([[maybe_unused]] auto _ : state) {
    const pid_t child = fork();
    if (child == 0) {
      const Accountant accountant(row.mechanism, row.participation);
      std::_Exit(accountant.upper(row.rounds, at_delta(row.delta)).value() > 0 ? 0 : 1);
    }
    int status = 1;
    rusage used{};
    if (child < 0 || wait4(child, &status, 0, &used) != child || status != 0) {
      state.SkipWithError("the other process has failed");
      break;
    }
    const double seconds = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                           1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    state.SetIterationTime(seconds);
    all += seconds;
  }
  count_ffts(state, all);
  state.SetLabel(row.name);
}

// The fresh processes come first, because a child process would find the tables of its parent.
BENCHMARK(fresh_process)->DenseRange(13, 15)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(best_upper)->DenseRange(0, 23)->Unit(benchmark::kMillisecond);

// Times the questions of best_upper with the lower bound, the numerical error and all looser bounds:
// everything that `muster account` prints.
void whole_statement(benchmark::State& state) {
  const Row& row = rows().at(static_cast<std::size_t>(state.range(0)));
  double error = 0;
  const double start = bench::thread_cpu_seconds();
  for ([[maybe_unused]] auto _ : state) {
    const Accountant accountant(row.mechanism, row.participation);
    const Statement statement = accountant.account(row.rounds, at_delta(row.delta));
    error = statement.best.numerical_error / *statement.best.upper;
  }
  count_ffts(state, bench::thread_cpu_seconds() - start);
  state.counters["relative_numerical_error"] = error;
  state.SetLabel(row.name);
}
BENCHMARK(whole_statement)->DenseRange(0, 23)->Unit(benchmark::kMillisecond);

// --- Renyi orders, random allocation, calibration

void shuffle_gaussian_rdp(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) {
    auto rdp = HomogeneousRdp::plain(60'000, RatioMoments::gaussian(1 / 9.48));
    benchmark::DoNotOptimize(rdp.divergence(static_cast<std::uint64_t>(state.range(0))));
  }
}
BENCHMARK(shuffle_gaussian_rdp)->Arg(2'000)->Arg(10'000)->Unit(benchmark::kMillisecond);

void random_allocation(benchmark::State& state) {
  numerics::Enclosure epsilon{0, 0};
  for ([[maybe_unused]] auto _ : state) {
    epsilon = RandomAllocation(1'000, 1).epsilon(1e-6);
  }
  state.counters["lower"] = epsilon.lower;
  state.counters["upper"] = epsilon.upper;
}
BENCHMARK(random_allocation)->Unit(benchmark::kMillisecond);

void calibration(benchmark::State& state, const std::string& knob, const std::string& randomizer,
                 double epsilon) {
  protocols::PlanSource source;
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
           {"population.clients", "60000"},
           {"participation.protocol", "shuffled-check-in"},
           {"participation.rate", "0.1"},
           {"randomizer.kind", randomizer},
           {randomizer == "gaussian" ? "randomizer.sigma" : "randomizer.epsilon0",
            randomizer == "gaussian" ? "5" : "2"},
           {"rounds.count", "1000"},
           {"privacy.delta", "1e-5"}}) {
    source.override_key(key, value);
  }
  const protocols::Plan plan = protocols::Plan::validate(source, protocols::Command::calibrate);
  double value = 0;
  const double start = bench::thread_cpu_seconds();
  for ([[maybe_unused]] auto _ : state) {
    value = protocols::calibrate(plan, protocols::knob_named(knob), {epsilon, 1e-5, std::nullopt}).value;
  }
  count_ffts(state, bench::thread_cpu_seconds() - start);
  state.counters["value"] = value;
}

BENCHMARK_CAPTURE(calibration, ldp_sgd_epsilon0, "epsilon0", "ldp-sgd", 0.3)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(calibration, ldp_sgd_rate, "rate", "ldp-sgd", 0.3)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(calibration, ldp_sgd_rounds, "rounds", "ldp-sgd", 0.3)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(calibration, ldp_sgd_clients, "clients", "ldp-sgd", 0.3)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(calibration, gaussian_sigma, "sigma", "gaussian", 0.1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(calibration, gaussian_sigma_175, "sigma", "gaussian", 0.3)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(calibration, gaussian_sigma_098, "sigma", "gaussian", 2)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(calibration, gaussian_rate, "rate", "gaussian", 0.1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(calibration, gaussian_rounds, "rounds", "gaussian", 0.3)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(calibration, gaussian_clients, "clients", "gaussian", 0.3)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(calibration, gaussian_accuracy, "accuracy", "gaussian", 0.3)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
