// Checks that a NaN never passes for a small result. If a law contains a NaN, or a threshold is not finite,
// the upper end of the expected excess must be infinite, NaN or at least a trivial bound. Binomial weights
// and scaled numbers that depend on a NaN must be NaN.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "muster/numerics/binomial_blocks.h"
#include "muster/numerics/roots/crossing.h"
#include "muster/numerics/scaled_series.h"
#include "muster/numerics/sums/atomic_law.h"
#include "muster/numerics/sums/excess_of_mixed_sum.h"
#include "muster/numerics/sums/expected_excess.h"
#include "muster/numerics/sums/rare_mixture.h"
#include "muster/numerics/sums/worst_mixture.h"

namespace muster::numerics {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

AtomicLaw three_points(double weight) {
  AtomicLaw law;
  law.add(1, 0.2);
  law.add(-0.5, 0.3);
  law.add(2.5, weight);
  return law;
}

AtomicLaw many_points(double weight) {
  AtomicLaw law;
  for (int i = 1; i <= 200; ++i) law.add(0.01 * i, 1e-3);
  law.add(2.5, weight);
  return law;
}

constexpr double kCounts[] = {1, 2, 3, 30, 1e4, 1e9};

TEST(NotANumber, AThresholdOutOfRangeIsNotPassedByNobody) {
  for (const AtomicLaw& law : {three_points(0.1), many_points(0.1)}) {
    for (const double n : kCounts) {
      for (const double k : {kNaN, kInfinity, -kInfinity}) {
        SCOPED_TRACE(testing::Message() << law.points.size() << " points, n " << n << ", k " << k);
        EXPECT_EQ(expected_excess(law, n, k).upper, kInfinity);
        EXPECT_EQ(expected_excess_chernoff(law, n, k), kInfinity);
        EXPECT_EQ(excess_of_mixed_sum(law, {{1, n}}, k, 0.5).upper, kInfinity);
        EXPECT_EQ(excess_of_laws(std::vector<LawCopies>{{&law, n}}, k).upper, kInfinity);
        EXPECT_EQ(worst_mixture_excess(law, law, n, k, Mixing::product).value.upper, kInfinity);
      }
    }
  }
}

TEST(NotANumber, ABrokenLawHasNoUpperBound) {
  for (const AtomicLaw& law : {three_points(kNaN), many_points(kNaN)}) {
    for (const double n : kCounts) {
      SCOPED_TRACE(testing::Message() << law.points.size() << " points, n " << n);
      // An upper bound of the expected excess of every law on these points: the value of the sum if every
      // term had the largest value.
      const double most = 2.5 * n;
      EXPECT_FALSE(expected_excess(law, n, 0.1 * n).upper < most);
      EXPECT_FALSE(excess_of_mixed_sum(law, {{1, n}}, 0.1 * n, 0.5).upper < most);
      EXPECT_FALSE(excess_of_laws(std::vector<LawCopies>{{&law, n}}, 0.1 * n).upper < most);
    }
  }
}

// Sums of few terms of two-point laws are enumerated, and sums of more terms are integrated. Both must notice
// the NaN.
TEST(NotANumber, ABrokenWeightHasNoWorstMixture) {
  for (const bool first_is_broken : {true, false}) {
    AtomicLaw broken, whole;
    broken.add(first_is_broken ? 1 : 2.5, 0.2);
    broken.add(first_is_broken ? 2.5 : 1, kNaN);
    whole.add(1, 0.2);
    whole.add(2.5, 0.1);
    for (const double n : {2.0, 3.0, 24.0, 30.0, 1e4}) {
      for (const Mixing mixing : {Mixing::product, Mixing::swap}) {
        SCOPED_TRACE(testing::Message() << "n " << n);
        EXPECT_EQ(worst_mixture_excess(broken, whole, n, 0.1 * n, mixing).value.upper, kInfinity);
        EXPECT_EQ(worst_mixture_excess(broken, broken, n, 0.1 * n, mixing).value.upper, kInfinity);
      }
    }
  }
}

// Every comparison with a NaN is false, so a search for the largest point that only compares would skip a
// point that is NaN.
TEST(NotANumber, ABrokenPointHasNoUpperBound) {
  for (AtomicLaw law : {three_points(0.1), many_points(0.1)}) {
    const AtomicLaw whole = law;
    law.add(kNaN, 0.1);
    EXPECT_TRUE(std::isnan(law.largest_point()));
    EXPECT_TRUE(std::isnan(law.smallest_point()));
    for (const double n : kCounts) {
      for (const double k : {0.1 * n, 10 * n}) {  // below and above the largest sum of the other points
        SCOPED_TRACE(testing::Message() << law.points.size() << " points, n " << n << ", k " << k);
        EXPECT_FALSE(expected_excess(law, n, k).upper < 2.5 * n);
        for (const Mixing mixing : {Mixing::product, Mixing::swap}) {
          EXPECT_EQ(worst_mixture_excess(law, whole, n, k, mixing).value.upper, kInfinity);
          EXPECT_EQ(worst_mixture_excess(whole, law, n, k, mixing).value.upper, kInfinity);
        }
      }
    }
  }
}

TEST(NotANumber, ABrokenMixtureHasNoUpperBound) {
  const AtomicLaw whole = three_points(0.1);
  AtomicLaw broken_point = whole, broken_end = whole;
  broken_point.add(kNaN, 0.1);
  broken_end.add(kInfinity, 0.1);
  for (const AtomicLaw& law : {broken_point, broken_end, three_points(kNaN)}) {
    for (const Mixing mixing : {Mixing::product, Mixing::swap}) {
      for (const double n : {3.0, 30.0, 1e6}) {
        EXPECT_EQ(worst_mixture_excess(law, whole, n, 0.1 * n, mixing).value.upper, kInfinity);
        EXPECT_EQ(worst_mixture_with_rare_terms(law, whole, n, 0.1 * n, mixing).value.upper, kInfinity);
        EXPECT_EQ(worst_mixture_with_rare_terms(whole, law, n, 0.1 * n, mixing).value.upper, kInfinity);
      }
    }
  }
  for (const double odd : {kNaN, kInfinity}) {
    EXPECT_EQ(worst_mixture_excess(whole, whole, odd, 1, Mixing::product).value.upper, kInfinity);
    EXPECT_EQ(worst_mixture_with_rare_terms(whole, whole, odd, 1, Mixing::product).value.upper, kInfinity);
    EXPECT_EQ(worst_mixture_with_rare_terms(whole, whole, 30, odd, Mixing::product).value.upper, kInfinity);
  }
}

TEST(NotANumber, ABrokenBinomialHasNoWeights) {
  const auto sum = [](double n, double p) {
    double total = 0;
    for (const BinomialBlock& block : binomial_blocks(n, p, 40, 0.1)) total += block.weight * block.last;
    return total;
  };
  EXPECT_NEAR(sum(1e4, 0.3), 3e3, 300);
  for (const double n : {kNaN, kInfinity, 0x1p54, -1.0}) EXPECT_TRUE(std::isnan(sum(n, 0.3))) << n;
  EXPECT_TRUE(std::isnan(sum(100, kNaN)));
}

// If a law has nearly all its mass at one point, its variance is a difference of two nearly equal numbers. If
// the difference came out negative, its square root would be a NaN, and a search might start from that NaN.
TEST(NotANumber, NoSearchBeginsAtOne) {
  AtomicLaw law;
  law.add(60, 1 - 2e-26);
  law.add(-60, 2e-26);
  EXPECT_GE(law.variance(), 0);
  const auto falling = [](double epsilon) { return std::exp(-epsilon); };
  for (const double start : {std::nan(""), -1.0, 0.0, 1e300, std::numeric_limits<double>::infinity()}) {
    EXPECT_NEAR(crossing_from_above(falling, 1e-3, 1e20, start), std::log(1e3), 1e-6);
    EXPECT_NEAR(crossing_from_below(falling, 1e-3, 1e20, start), std::log(1e3), 1e-6);
  }
}

TEST(NotANumber, StaysInScaledSeries) {
  EXPECT_TRUE(std::isnan(log_of(scaled(kNaN))));
  EXPECT_TRUE(std::isnan(log_of(scaled(kInfinity))));
  EXPECT_TRUE(std::isnan(log_of(scaled(-1))));
  EXPECT_TRUE(std::isnan(log_of(scaled_exp(kInfinity))));
  EXPECT_TRUE(std::isnan(log_of(scaled_exp(kNaN))));
  EXPECT_TRUE(std::isnan(log_of(scaled_exp(1e9))));
  EXPECT_EQ(log_of(scaled_exp(-kInfinity)), -kInfinity);
  EXPECT_TRUE(std::isnan(log_of(scaled(kNaN) * scaled(3))));
  EXPECT_TRUE(std::isnan(log_of(scaled(kNaN) + scaled(3, 5000))));
  ScaledSeries series;
  for (int i = 0; i < 600; ++i) series.push_back(scaled(i == 7 ? kNaN : 1));
  EXPECT_TRUE(std::isnan(log_of(convolution(series, series, 500, 0, 500))));
  // The NaN stands in a block whose other terms are so small that the block is skipped.
  ScaledSeries uneven, ones;
  for (int i = 0; i < 600; ++i) {
    uneven.push_back(i == 300 ? scaled(kNaN) : scaled(1, i < 256 ? 400 : -400));
    ones.push_back(scaled(1));
  }
  EXPECT_TRUE(std::isnan(log_of(convolution(uneven, ones, 599, 0, 599))));
  EXPECT_NEAR(log_of(convolution(uneven, ones, 255, 0, 255)), std::log(256.0) + 400 * std::log(2.0), 1e-9);
}

}  // namespace
}  // namespace muster::numerics
