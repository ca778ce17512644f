// Tests the homogeneous Gaussian pair: against quadrature for two clients, and for the width of its enclosure
// where the likelihood ratio has a heavy tail.
#include "muster/accounting/theorems/exact/homogeneous.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace muster::accounting {
namespace {

// E(r - x)_+ of the lognormal r of mean 1 and log-deviation mu: the Gaussian profile at x.
long double profile(long double mu, long double x) {
  if (x <= 0) return 1 - x;
  const auto tail = [](long double t) { return 0.5L * std::erfc(t / std::sqrt(2.0L)); };
  return tail(std::log(x) / mu - mu / 2) - x * tail(std::log(x) / mu + mu / 2);
}

// The expectation of f(r) for a lognormal ratio r, by the trapezoidal rule in its normal coordinate.
template <typename F>
long double over_ratio(long double mu, const F& f) {
  constexpr int kSteps = 40000;
  const long double low = -13, high = 13 + mu, step = (high - low) / kSteps;
  long double sum = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const long double z = low + i * step;
    sum += std::exp(-z * z / 2) * f(std::exp(mu * z - mu * mu / 2));
  }
  return sum * step / std::sqrt(2 * std::acos(-1.0L));
}

// The forward delta of two clients at rate g. It leaves out the case that nobody reports, which contributes 0
// if e >= 1.
long double forward_of_two(long double mu, long double g, long double e) {
  const long double both = over_ratio(mu, [&](long double r) { return profile(mu, 2 * e - r); }) / 2;
  return 2 * g * (1 - g) * profile(mu, 2 * e - 1) / 2 + g * g * both;
}

long double reverse_of_two(long double mu, long double g, long double e) {
  // With M the mean of the two ratios, the mean of (1 - e M)_+ is e times that of (M - 1/e)_+, plus 1 - e,
  // because M has mean 1. The middle term below is the case that nobody reports.
  return e * forward_of_two(mu, g, 1 / e) + (1 - g) * (1 - g) * e * std::max(0.0L, 1 - 1 / e) + 1 - e;
}

TEST(Homogeneous, TwoClientsWithGaussianNoise) {
  for (const double mu : {0.4, 1.0, 2.0, 4.0}) {
    for (const double rate : {0.1, 0.5, 1.0}) {
      const HomogeneousCurve curve(GaussianLocal{2 / mu}, {2, 2, rate});
      for (const double epsilon : {0.0, 0.05, 0.5, 2.0}) {
        SCOPED_TRACE(::testing::Message() << mu << ' ' << rate << ' ' << epsilon);
        const long double e = std::exp(static_cast<long double>(epsilon));
        const long double forward = forward_of_two(mu, rate, e), reverse = reverse_of_two(mu, rate, e);
        EXPECT_LE(curve.forward(epsilon).lower, forward * (1 + 1e-9L));
        EXPECT_LE(curve.reverse(epsilon).lower, reverse * (1 + 1e-9L) + 1e-15L);
        if (forward > 1e-6L) {
          EXPECT_GE(curve.forward(epsilon).lower, forward * 0.98L);
        }
        if (reverse > 1e-6L) {
          EXPECT_GE(curve.reverse(epsilon).lower, reverse * 0.98L);
        }
      }
    }
  }
}

// With many clients and little noise, the heavy right tail would leave a wide enclosure. The identity between
// expected excess and expected deficit narrows it.
TEST(Homogeneous, HeavyTailIsEnclosed) {
  for (const double sigma : {0.4, 0.5, 0.7, 1.0}) {
    const HomogeneousCurve curve(GaussianLocal{sigma}, {6e4, 6e4, 0.1});
    for (const double epsilon : {0.0, 1e-3, 1e-2}) {
      SCOPED_TRACE(::testing::Message() << sigma << ' ' << epsilon);
      const numerics::Enclosure forward = curve.forward(epsilon), reverse = curve.reverse(epsilon);
      EXPECT_LE(forward.upper, forward.lower * (1 + 2e-4));
      EXPECT_LE(reverse.upper, reverse.lower * (1 + 2e-4));
    }
    // At eps = 0 both directions are the total variation distance.
    const numerics::Enclosure forward = curve.forward(0), reverse = curve.reverse(0);
    EXPECT_LE(forward.lower, reverse.upper);
    EXPECT_LE(reverse.lower, forward.upper);
  }
}

}  // namespace
}  // namespace muster::accounting
