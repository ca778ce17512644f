// Compares many rounds of the sampled Gaussian with independent values. Without sampling, T rounds are
// equivalent to one Gaussian pair at sqrt(T) times the distance. With sampling, the delta of two rounds is a
// double integral.
#include "muster/papers/central/sampled_gaussian_rounds.h"

#include <gtest/gtest.h>

#include <cmath>

namespace muster::accounting {
namespace {

using numerics::Enclosure;

// Returns the epsilon e with Phi(mu/2 - e/mu) - exp(e) Phi(-mu/2 - e/mu) = delta, found by bisection.
double gaussian_epsilon(double mu, double delta) {
  const auto tail = [](double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); };
  double low = 0, high = 100;
  for (int i = 0; i < 200; ++i) {
    const double e = (low + high) / 2;
    (tail(e / mu - mu / 2) - std::exp(e) * tail(e / mu + mu / 2) > delta ? low : high) = e;
  }
  return high;
}

// The true epsilon lies between the ends, which are at most 0.5 % apart. They are farthest apart at two
// rounds: the lower end loses accuracy at every lattice point, and composing few rounds averages these errors
// little.
TEST(SampledGaussianRounds, WithoutSamplingItIsOneGaussian) {
  for (const std::uint64_t rounds : {2, 30, 1000}) {
    const double root = std::sqrt(static_cast<double>(rounds));
    for (const double sigma : {0.8 * root, 5 * root}) {
      const double added = gaussian_epsilon(root / sigma, 1e-5),
                   replaced = gaussian_epsilon(2 * root / sigma, 1e-5);
      const Enclosure a = SampledGaussianRounds(sigma, 1, Neighbouring::add_remove).epsilon(rounds, 1e-5);
      const Enclosure r = SampledGaussianRounds(sigma, 1, Neighbouring::replace_one).epsilon(rounds, 1e-5);
      EXPECT_LE(a.lower, added * (1 + 1e-9)) << rounds << " " << sigma;
      EXPECT_GE(a.upper, added * (1 - 1e-9)) << rounds << " " << sigma;
      EXPECT_LE(r.lower, replaced * (1 + 1e-9)) << rounds << " " << sigma;
      EXPECT_GE(r.upper, replaced * (1 - 1e-9)) << rounds << " " << sigma;
      EXPECT_LE(a.upper - a.lower, 5e-3 * a.upper) << rounds << " " << sigma;
      EXPECT_LE(r.upper - r.lower, 5e-3 * r.upper) << rounds << " " << sigma;
    }
  }
}

// The delta of two rounds is computed by the midpoint rule in the plane. It is at least `delta` at the lower
// end of epsilon, and at most `delta` at the upper end.
TEST(SampledGaussianRounds, TwoSampledRoundsAreADoubleIntegral) {
  const double sigma = 0.9, rate = 0.2, delta = 1e-3, mu = 1 / sigma;
  const auto normal = [](double x, double mean) {
    return std::exp(-(x - mean) * (x - mean) / 2) / std::sqrt(2 * 3.14159265358979323846);
  };
  const auto sampled = [&](double x, double mean) {
    return (1 - rate) * normal(x, 0) + rate * normal(x, mean);
  };
  const auto two = [&](double epsilon, double p_mean, double q_mean) {
    constexpr int kCells = 1200;
    constexpr double kFrom = -9, kWidth = 18.0 / kCells;
    double p[kCells], q[kCells], sum = 0;
    for (int i = 0; i < kCells; ++i) {
      p[i] = sampled(kFrom + (i + 0.5) * kWidth, p_mean), q[i] = sampled(kFrom + (i + 0.5) * kWidth, q_mean);
    }
    for (int i = 0; i < kCells; ++i) {
      for (int j = 0; j < kCells; ++j) sum += std::fmax(0.0, p[i] * p[j] - std::exp(epsilon) * q[i] * q[j]);
    }
    return sum * kWidth * kWidth;
  };
  const Enclosure replaced = SampledGaussianRounds(sigma, rate, Neighbouring::replace_one).epsilon(2, delta);
  EXPECT_GE(two(replaced.lower, mu, -mu), delta * (1 - 1e-4));
  EXPECT_LE(two(replaced.upper, mu, -mu), delta * (1 + 1e-4));
  const Enclosure changed = SampledGaussianRounds(sigma, rate, Neighbouring::add_remove).epsilon(2, delta);
  EXPECT_GE(std::fmax(two(changed.lower, mu, 0), two(changed.lower, 0, mu)), delta * (1 - 1e-4));
  EXPECT_LE(std::fmax(two(changed.upper, mu, 0), two(changed.upper, 0, mu)), delta * (1 + 1e-4));
  EXPECT_LE(replaced.upper - replaced.lower, 1e-2 * replaced.upper);
  EXPECT_LE(changed.upper - changed.lower, 1e-2 * changed.upper);
  EXPECT_GT(replaced.lower, changed.upper);
}

}  // namespace
}  // namespace muster::accounting
