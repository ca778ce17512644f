// Compares expected_excess() with exact multinomial enumeration in long double, which shares no formula with
// the contour sum.
#include "muster/numerics/sums/expected_excess.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "muster/numerics/sums/enumerated_excess.h"

namespace muster::numerics {
namespace {

// E(S - k)_+ by summing over all counts of the atoms (the mass at zero included).
long double enumerate(const AtomicLaw& law, int n, double k) {
  std::vector<long double> points(law.points.begin(), law.points.end());
  std::vector<long double> weights(law.weights.begin(), law.weights.end());
  long double rest = 1;
  for (long double w : weights) {
    rest -= w;
  }
  points.push_back(0);
  weights.push_back(rest);
  long double total = 0;
  const auto visit = [&](auto&& self, std::size_t atom, int left, long double sum,
                         long double log_p) -> void {
    if (atom + 1 == points.size()) {
      if (left > 0 && weights[atom] <= 0) {
        return;
      }
      const long double p =
          log_p + (left > 0 ? left * std::log(weights[atom]) : 0.0L) - std::lgamma(1.0L + left);
      const long double s = sum + left * points[atom] - k;
      total += s > 0 ? s * std::exp(p) : 0;
      return;
    }
    for (int c = 0; c <= left; ++c) {
      self(self, atom + 1, left - c, sum + c * points[atom],
           log_p + (c > 0 ? c * std::log(weights[atom]) : 0.0L) - std::lgamma(1.0L + c));
    }
  };
  visit(visit, 0, n, 0, std::lgamma(1.0L + n));
  return total;
}

AtomicLaw check_in_law(double epsilon0, double epsilon, double rate) {
  const double q = 1 / (std::exp(epsilon0) + 1);
  const double a = std::exp(epsilon0);
  const double e = std::exp(epsilon);
  AtomicLaw law;
  law.add(a - 1, rate * q);
  law.add(-e * (a - 1), rate * q);
  law.add(e - 1, rate * (1 - 2 * q));
  return law;
}

TEST(ExpectedExcess, EnclosesTheExactValueForSmallN) {
  int cases = 0;
  for (int n : {1, 2, 3, 7, 20, 110}) {
    for (double rate : {0.05, 0.3, 0.9}) {
      for (double epsilon0 : {0.3, 1.0, 3.0}) {
        for (double fraction : {0.0, 0.01, 0.1, 0.5, 0.9}) {
          const double epsilon = fraction * epsilon0;
          const AtomicLaw law = check_in_law(epsilon0, epsilon, rate);
          const double k = n * std::expm1(epsilon);
          const double exact = static_cast<double>(enumerate(law, n, k));
          const Enclosure got = expected_excess(law, n, k);
          EXPECT_GE(got.upper, exact * (1 - 1e-12)) << n << ' ' << rate << ' ' << epsilon0 << ' ' << epsilon;
          EXPECT_LE(got.lower, exact * (1 + 1e-12)) << n << ' ' << rate << ' ' << epsilon0 << ' ' << epsilon;
          EXPECT_LE(got.upper, exact * (n * rate > 30 ? 1.002 : 1.05) + 1e-300)
              << n << ' ' << rate << ' ' << epsilon0 << ' ' << epsilon;
          ++cases;
        }
      }
    }
  }
  RecordProperty("cases", cases);
}

TEST(ExpectedExcess, IsTightForLargeN) {
  // With n = 400 and three atoms the enumeration is still exact, and both ends agree with it closely.
  const AtomicLaw law = check_in_law(1.0, 0.05, 0.2);
  const double k = 400 * std::expm1(0.05);
  const double exact = static_cast<double>(enumerate(law, 400, k));
  const Enclosure got = expected_excess(law, 400, k);
  EXPECT_GE(got.upper, exact);
  EXPECT_LE(got.upper, exact * (1 + 1e-5));
  EXPECT_LE(got.lower, exact);
  EXPECT_GE(got.lower, exact * (1 - 1e-5));
  EXPECT_GE(expected_excess_chernoff(law, 400, k), exact);
}

TEST(ExpectedExcess, KeepsRelativeAccuracyInTheFarTail) {
  // With one atom the sum is binomial, and the exact value is a sum of exponentials of log-probabilities.
  AtomicLaw law;
  law.add(1, 0.01);
  const double n = 100'000;
  for (double k : {1200.5, 1500.5, 2000.5}) {
    long double exact = 0;
    for (int s = static_cast<int>(k) + 1; s < 6000; ++s) {
      exact += (s - static_cast<long double>(k)) *
               std::exp(std::lgamma(n + 1.0L) - std::lgamma(s + 1.0L) - std::lgamma(n - s + 1.0L) +
                        s * std::log(0.01L) + (n - s) * std::log1p(-0.01L));
    }
    const Enclosure got = expected_excess(law, n, k);
    EXPECT_GE(got.upper, static_cast<double>(exact)) << k;
    EXPECT_LE(got.upper, static_cast<double>(exact) * (1 + 1e-4)) << k;
    EXPECT_LE(got.lower, static_cast<double>(exact)) << k;
    EXPECT_GE(got.lower, static_cast<double>(exact) * (1 - 1e-4)) << k;
  }
}

// The law has one atom -a of small weight w, with a > n, and the threshold is k = -n. So E(S - k)_+ is
// E(n - a B)_+ = n (1-w)^n, where B ~ Bin(n, w). At the saddle point the logarithm of E e^{cY} is about -w,
// and its rounding error is multiplied by n.
TEST(ExpectedExcess, KeepsLogarithmsNearZeroWhereExponentsAreFarNegative) {
  AtomicLaw law;
  const double w = 2e-9;
  const double n = 1e9;
  law.add(-1e13, w);
  const Enclosure got = expected_excess(law, n, -n);
  const double exact = static_cast<double>(n * std::exp(n * std::log1p(static_cast<long double>(-w))));
  EXPECT_LE(got.lower, exact);
  EXPECT_GE(got.upper, exact);
  EXPECT_LE(got.upper, exact * 1.01);
}

// The rare atom is at least a thousand standard deviations of the bulk away. A contour integral would take
// too many frequencies, and Chernoff's bound is several times the value.
TEST(ExpectedExcess, TreatsRareTermsOfFewAtomsSeparately) {
  const int n = 110;
  for (const double far : {1e5, 1e8, 1e12, 1e18}) {
    for (const double rare : {1e-9, 1e-10, 1e-12}) {
      const AtomicLaw law{{far, 1}, {rare, 0.3}};
      for (const double k : {33.0, 60.0, 0.3 * far}) {
        const double exact = static_cast<double>(enumerate(law, n, k));
        const Enclosure got = expected_excess(law, n, k);
        SCOPED_TRACE(::testing::Message() << far << ' ' << rare << ' ' << k << ": exact " << exact);
        EXPECT_GE(got.upper, exact * (1 - 1e-12));
        EXPECT_LE(got.lower, exact * (1 + 1e-12));
        EXPECT_LE(got.upper, exact * 1.02);
        EXPECT_GE(got.lower, exact * 0.98);
      }
    }
  }
}

// Where hardly a term is nonzero, only sums of few nonzero terms are added up, and the others are bounded.
// Far in the tail that bound is much larger than Chernoff's.
TEST(ExpectedExcess, FollowsChernoffWhereTooManyTermsWouldCount) {
  AtomicLaw law;
  for (const double y : {-1.0, 0.5, 0.75, 1.0}) law.add(y, 1e-10);
  for (const double k : {20.5, 60.5, 90.5}) {
    const Enclosure found = expected_excess(law, 3e5, k);
    EXPECT_LE(found.upper, expected_excess_chernoff(law, 3e5, k));
    EXPECT_LE(found.lower, found.upper);
    EXPECT_GT(found.upper, 0);
  }
}

// The variance of these sums is near the end of the range of a double (far = 1e150) or beyond it.
TEST(ExpectedExcess, EndsWhereTheVarianceOverflows) {
  const int n = 110;
  for (const double far : {1e150, 1e160, 1e250}) {
    for (const double rare : {1e-9, 1e-3, 0.2}) {
      const AtomicLaw law{{far, 1}, {rare, 0.3}};
      for (const double k : {40.0, 0.3 * far, 3.5 * far}) {
        const long double exact = enumerate(law, n, k);
        SCOPED_TRACE(::testing::Message() << far << ' ' << rare << ' ' << k << ": exact " << exact);
        const Enclosure got = expected_excess(law, n, k);
        EXPECT_GE(got.upper, exact * (1 - 1e-12L));
        EXPECT_LE(got.lower, exact * (1 + 1e-12L));
      }
    }
  }
}

// The sum of ten copies of the double 0.1 exceeds 1 by 5.6e-17, although 10 * 0.1 is rounded to 1.
TEST(ExpectedExcess, CoversASumThatExceedsTheThresholdByARounding) {
  int exceeded = 0;
  for (const double point : {0.1, 0.3, 0.7, 1.1, 2.3}) {
    const AtomicLaw law{{point, -0.25}, {0.5, 0.3}};
    for (int n = 1; n <= 60; ++n) {
      const double k = n * point;
      const long double truth = enumerate(law, n, k);
      exceeded += truth > 0 ? 1 : 0;
      const Enclosure got = expected_excess(law, n, k);
      EXPECT_GE(got.upper, truth) << point << ' ' << n;
      EXPECT_LE(got.upper, truth * (1 + 1e-9L) + 1e-14 * k) << point << ' ' << n;
      EXPECT_GE(enumerated_excess(law, n, k).upper, truth) << point << ' ' << n;
      EXPECT_GE(expected_excess_chernoff(law, n, k), truth) << point << ' ' << n;
    }
  }
  EXPECT_GT(exceeded, 20);
}

TEST(ExpectedExcess, IsZeroWhereNothingCanPassTheThreshold) {
  const AtomicLaw law = check_in_law(1.0, 0.5, 0.5);
  EXPECT_EQ(expected_excess(law, 10, 10 * std::exp(1.0)).upper, 0);
  EXPECT_EQ(expected_excess(AtomicLaw{}, 10, 1).upper, 0);
  EXPECT_EQ(expected_excess(AtomicLaw{}, 10, -1).upper, 1);
}

}  // namespace
}  // namespace muster::numerics
