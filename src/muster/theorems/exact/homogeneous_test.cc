// Tests the homogeneous pair. For the Gaussian, two clients are compared with quadrature, and the enclosure
// must be narrow where the likelihood ratio has a heavy tail. For randomized response, values that are
// small differences of large terms are compared with ball arithmetic.
#include "muster/theorems/exact/homogeneous.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/oracle/ball.h"

namespace muster::accounting {
namespace {

// Computes E(r - x)_+ for a lognormal r of mean 1 whose logarithm has deviation mu. For x > 0 this is the
// Gaussian's privacy profile at x.
long double profile(long double mu, long double x) {
  if (x <= 0) return 1 - x;
  const auto tail = [](long double t) { return 0.5L * std::erfc(t / std::sqrt(2.0L)); };
  return tail(std::log(x) / mu - mu / 2) - x * tail(std::log(x) / mu + mu / 2);
}

// Computes the expectation of f(r) for a lognormal ratio r by the trapezoidal rule in its normal
// coordinate.
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

// Computes the forward delta of two clients at rate g, with e = e^epsilon. It leaves out the case that
// nobody reports, which contributes 0 if e >= 1.
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
      const EnclosedMinorant forward = curve.forward(epsilon), reverse = curve.reverse(epsilon);
      EXPECT_LE(forward.minorant_upper, forward.lower * (1 + 2e-4));
      EXPECT_LE(reverse.minorant_upper, reverse.lower * (1 + 2e-4));
    }
    // At eps = 0 both directions are the total variation distance.
    const EnclosedMinorant forward = curve.forward(0), reverse = curve.reverse(0);
    EXPECT_LE(forward.lower, reverse.minorant_upper);
    EXPECT_LE(reverse.lower, forward.minorant_upper);
  }
}

// Checks that `truth` lies between the ends; a lower end of 0 is always accepted.
void expect_enclosed(const EnclosedMinorant& ends, const oracle::Ball& truth) {
  EXPECT_TRUE(ends.lower == 0 || truth.surely_above(oracle::Ball(ends.lower))) << ends.lower;
  EXPECT_TRUE(truth.surely_below(oracle::Ball(ends.minorant_upper)))
      << ends.minorant_upper << ' ' << truth.middle();
}

// Exactly one of two clients reports, and r = e^-epsilon0 has probability p = 1 / (1 + e^-epsilon0). Then
// (1 - E M)_+ is 1 - E (1 + r)/2 and reaches 0 at epsilon = ln(2 p), where the terms of the reporting and of
// the absent client cancel.
TEST(Homogeneous, ValueNextToItsZeroIsEnclosed) {
  using oracle::Ball;
  int near = 0;
  for (const double epsilon0 : {1e-60, 1.3e-3, 0.0105, 0.397, 1.13, 3.82, 20.0, 60.0}) {
    const HomogeneousCurve curve(KRandomizedResponse(epsilon0, 2), {2, 1, 1});
    const Ball small = exp(-Ball(epsilon0)), p = Ball(1.0) / (Ball(1.0) + small);
    double epsilon = log(Ball(2.0) * p).middle();
    for (int step = 0; step < 6; ++step, epsilon = std::nextafter(epsilon, 0.0)) {
      // This is 1 - E (1 + r) / 2, without the sum 1 + r that would lose r - 1 at epsilon0 = 1e-60.
      const Ball grown = expm1(Ball(epsilon)), r_less_one = expm1(-Ball(epsilon0));
      const Ball truth = -p * (grown + (Ball(1.0) + grown) * r_less_one / Ball(2.0));
      if (!truth.surely_positive()) continue;
      SCOPED_TRACE(::testing::Message() << epsilon0 << ' ' << epsilon);
      expect_enclosed(curve.reverse(epsilon), truth);
      ++near;
    }
  }
  EXPECT_GE(near, 40);
}

// (1 - E M)_+ is positive only if both clients report and both ratios are e^-epsilon0. An absent client's
// term is about -E. Beside a number of this size, double extended precision cannot tell the small sum of
// two reporting clients from 0.
TEST(Homogeneous, TinyRateAtLargeEpsilonIsEnclosed) {
  using oracle::Ball;
  for (const double rate : {1e-15, 1.6e-3, 0.04}) {
    for (const double epsilon0 : {50.0, 64.7, 77.0, 100.0}) {
      const HomogeneousCurve curve(PureLocal(epsilon0), {2, 2, rate});
      for (const double epsilon : {0.92 * epsilon0, 0.99 * epsilon0, std::nextafter(epsilon0, 0.0)}) {
        const Ball small = exp(-Ball(epsilon0)), both = Ball(rate) / (Ball(1.0) + small);
        SCOPED_TRACE(::testing::Message() << rate << ' ' << epsilon0 << ' ' << epsilon);
        expect_enclosed(curve.reverse(epsilon), -both * both * expm1(Ball(epsilon) - Ball(epsilon0)));
      }
    }
  }
}

}  // namespace
}  // namespace muster::accounting
