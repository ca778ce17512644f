// Compares random allocation with the Gaussian mechanism for one slot, with a quadrature for two slots, and
// with a reference value for a thousand.
#include "muster/papers/random_allocation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace muster::accounting {
namespace {

// The expected epsilon is that of 1,000 clients in shuffle_gaussian_pair_test.cc, in the forward direction.
// It is 0.17172868, rounded to eight digits; tools/golden/shuffle_gaussian_pair.py computes it.
TEST(RandomAllocation, BracketsEpsilonQuickly) {
  const auto start = std::chrono::steady_clock::now();
  const numerics::Enclosure epsilon = RandomAllocation(1000, 1).epsilon(1e-6);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  RecordProperty("milliseconds", static_cast<int>(time.count() * 1e3));
  EXPECT_LE(epsilon.lower, 0.171728685);
  EXPECT_GE(epsilon.upper, 0.171728675);
  EXPECT_LE(epsilon.upper, epsilon.lower * 1.001);
  const numerics::Enclosure delta = RandomAllocation(1000, 1).delta(0.17172868);
  EXPECT_LE(delta.lower, 1e-6 * (1 + 1e-6));
  EXPECT_GE(delta.upper, 1e-6 * (1 - 1e-6));
}

double normal(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

// Return the means of (r - K)_+ and of (K - r)_+, where the ratio r is lognormal with mean 1, and its
// logarithm has deviation mu.
double above(double K, double mu) {
  if (K <= 0) return 1 - K;
  return normal(mu / 2 - std::log(K) / mu) - K * normal(-mu / 2 - std::log(K) / mu);
}
double below(double K, double mu) { return above(K, mu) - 1 + K; }

// With one slot, the pair is that of the Gaussian mechanism.
TEST(RandomAllocation, OneSlotIsTheGaussianMechanism) {
  for (const double mu : {0.3, 1.0, 4.0}) {
    for (const double epsilon : {0.0, 0.5, 3.0}) {
      const numerics::Enclosure delta = RandomAllocation(1, mu).delta(epsilon);
      const double truth = above(std::exp(epsilon), mu);
      EXPECT_LE(delta.lower, truth * (1 + 1e-9)) << mu << ' ' << epsilon;
      EXPECT_GE(delta.upper, truth * (1 - 1e-9)) << mu << ' ' << epsilon;
      EXPECT_LE(delta.upper, truth * 1.01) << mu << ' ' << epsilon;
    }
  }
}

// With two slots, the second ratio is integrated in closed form and the first one by the trapezoidal rule.
TEST(RandomAllocation, TwoSlotsAgreeWithQuadrature) {
  constexpr double kStep = 1e-3, kFar = 9;
  for (const double mu : {0.3, 1.0, 2.0}) {
    for (const double epsilon : {0.1, 1.0}) {
      const double E = std::exp(epsilon);
      double forward = 0, reverse = 0;  // the means of (M - E)_+ and (1 - E M)_+, M the mean of both ratios
      for (double z = -kFar; z <= kFar; z += kStep) {
        const double weight = kStep * std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0));
        const double first = std::exp(mu * z - mu * mu / 2);
        forward += weight * above(2 * E - first, mu) / 2;
        if (first < 2 / E) reverse += weight * E * below(2 / E - first, mu) / 2;
      }
      const numerics::Enclosure delta = RandomAllocation(2, mu).delta(epsilon);
      const double truth = std::max(forward, reverse);
      EXPECT_LE(delta.lower, truth * (1 + 1e-6)) << mu << ' ' << epsilon;
      EXPECT_GE(delta.upper, truth * (1 - 1e-6)) << mu << ' ' << epsilon;
      EXPECT_LE(delta.upper, truth * 1.01) << mu << ' ' << epsilon;
    }
  }
}

}  // namespace
}  // namespace muster::accounting
