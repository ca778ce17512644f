// Tests sums whose atoms, masses or values are near the ends of the range of a double. The references are
// convolutions and closed forms in extended precision, whose exponents range sixteen times as far.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "muster/numerics/sums/enumerated_excess.h"
#include "muster/numerics/sums/enumerated_mixture.h"
#include "muster/numerics/sums/excess_bounds.h"
#include "muster/numerics/sums/excess_of_mixed_sum.h"
#include "muster/numerics/sums/expected_excess.h"
#include "muster/numerics/sums/mean_of_terms.h"
#include "muster/numerics/sums/term_pairs.h"

namespace muster::numerics {
namespace {

// A term is -1, 1, 2 or 3 with these probabilities, and 0 otherwise.
constexpr std::array kPoints{-1, 1, 2, 3};
constexpr std::array kWeights{0.3, 0.3, 1e-3, 1e-4};

// The law of the sum of n terms: element i is the probability of the sum i - n.
std::vector<long double> law_of_sum(int n) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  long double zero = 1;
  for (const double w : kWeights) zero -= static_cast<long double>(w);
  std::vector<long double> sum{1};  // the law of no terms; the index is the sum plus the number of terms
  for (int copy = 0; copy < n; ++copy) {
    std::vector<long double> next(sum.size() + 4, 0);
    for (std::size_t i = 0; i < sum.size(); ++i) {
      next[i + 1] += sum[i] * zero;
      for (std::size_t a = 0; a < kPoints.size(); ++a) next[i + at(1 + kPoints[a])] += sum[i] * kWeights[a];
    }
    sum = std::move(next);
  }
  return sum;
}

TEST(ExtremeScales, EveryScaleEnclosesTheValueAtScaleOne) {
  constexpr int kTerms = 1'000;
  const std::vector<long double> sum = law_of_sum(kTerms);
  int below_range = 0;
  for (const int exponent : {-520, -460, -262, -100, 0, 100, 200, 266, 300, 400, 520}) {
    const double scale = std::ldexp(1.0, exponent);
    AtomicLaw law;
    for (std::size_t a = 0; a < kPoints.size(); ++a) law.add(scale * kPoints[a], kWeights[a]);
    for (const int k : {3, 40, 120, 400, 880, 920}) {
      long double exact = 0;
      for (std::size_t i = 0; i < sum.size(); ++i) {
        const long double excess = static_cast<long double>(i) - kTerms - k;
        exact += excess > 0 ? sum[i] * excess : 0;
      }
      exact *= scale;
      below_range += exact < 1e-300L ? 1 : 0;
      SCOPED_TRACE(::testing::Message() << "2^" << exponent << ", k " << k << ": exact " << exact);
      const std::array copies{LawCopies{&law, kTerms}};
      const std::vector<ScaledCopies> groups{{1, kTerms}};
      const double c = mixed_sum_saddle(law, groups, scale * k);
      for (const Enclosure got : {expected_excess(law, kTerms, scale * k), excess_of_laws(copies, scale * k),
                                  excess_of_mixed_sum(law, groups, scale * k, c)}) {
        EXPECT_GE(got.upper, exact * (1 - 1e-12L));
        EXPECT_LE(got.lower, exact * (1 + 1e-12L) + 1e-300L);
      }
    }
  }
  EXPECT_GT(below_range, 5);
}

// The double nearest to 5/3 is larger than 5/3, so three terms of it exceed 5 by a rounding error. The
// threshold for pairs of terms, 10/3, is rounded up, too, and must not hide the excess.
TEST(ExtremeScales, PairsCountSumsThatExceedTheThresholdByARounding) {
  const double third = 5.0 / 3;
  const AtomicLaw law{{third, -1, -2, -3}, {1e-3, 1e-9, 1e-9, 1e-9}};
  const double exact = 1e-9 * std::fma(3, third, -5);
  ASSERT_GT(exact, 0);
  EXPECT_GE(expected_excess(law, 3, 5).upper, exact * (1 - 1e-12));
}

TEST(ExtremeScales, WhatUnderflowsIsCharged) {
  // If none of the 100 terms is -1e10, their sum 0 exceeds -1 by 1. The probability is 0.02^100 = 1.27e-170.
  EXPECT_GE(enumerated_excess(AtomicLaw{{-1e10}, {0.98}}, 100, -1).upper, 1.2e-170);
  EXPECT_GE(expected_excess(AtomicLaw{{-1e10}, {0.98}}, 100, -1).upper, 1.2e-170);
  // Two of 24 terms of 1e300 exceed 1.5e300 by 5e299, with probability 276e-330.
  const AtomicLaw huge{{1e300}, {1e-165}};
  EXPECT_GE(enumerated_mixture(huge, huge, 24, 1.5e300, Mixing::product).upper, 1.3e-28);
  const AtomicLaw four{{1e300, 1.001e300, 1.002e300, 1.003e300}, {1e-200, 1e-200, 1e-200, 1e-200}};
  EXPECT_GE(excess_of_one_or_two(four, 2, 1.5e300).upper, 8e-100);
}

// A weight or a point that is NaN or infinite must not read as an excess of 0, whichever strategy computes
// it.
TEST(ExtremeScales, WhatIsNotFiniteIsNoSmallExcess) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(),
                   kInfinity = std::numeric_limits<double>::infinity();
  for (const double n : {1.0, 2.0, 3.0, 1e6}) {
    for (const AtomicLaw& law : {AtomicLaw{{1, 2, -1, -2}, {0.1, kNan, 0.1, 0.1}},
                                 AtomicLaw{{1, kNan, -1, -2}, {0.1, 0.1, 0.1, 0.1}},
                                 AtomicLaw{{1, 2, -1, -2}, {0.1, kInfinity, 0.1, 0.1}},
                                 AtomicLaw{{1, kInfinity, -1, -2}, {0.1, 0.1, 0.1, 0.1}},
                                 AtomicLaw{{kNan}, {0.5}}, AtomicLaw{{-1}, {kNan}}}) {
      EXPECT_EQ(expected_excess(law, n, 0.5).upper, kInfinity) << n;
    }
  }
}

TEST(ExtremeScales, BoundsOfTinyAndHugeSums) {
  const ExcessBounds tiny(AtomicLaw{{1e-170, -1e-170}, {0.3, 0.3}}, 10, 1e170);
  EXPECT_GE(tiny.above(-5e-170), 5e-170);
  EXPECT_GE(tiny.above(0), 1e-170);
  const ExcessBounds one(AtomicLaw{{1}, {0.1}}, 10, 1);
  EXPECT_GE(one.above(-1e305), 1e305);
}

// A mass below the normal range of a double must be rounded outward, not to nearest.
TEST(ExtremeScales, SubnormalMassesAreRoundedOutward) {
  struct Large {
    double value;
    long double mass;
  };
  for (const Large& large : {Large{1e300, 1e-330L}, Large{1e250, 1e-322L}, Large{1e250, 3e-324L},
                             Large{1e250, 1e-318L}, Large{1e250, 1e-310L}}) {
    const std::vector<Term> terms{{-1, 0.5L}, {-2, 0.25L}, {-3, 0.1L},
                                  {-4, 0.1L}, {0, 0.05L},  {large.value, large.mass}};
    // To this accuracy the sum is positive only if one of its terms is large, and the others then do not
    // matter.
    const long double exact = large.mass * static_cast<long double>(large.value);
    const Enclosure got = mean_of_terms(terms, 1'000);
    EXPECT_GE(got.upper, exact * (1 - 1e-9L)) << large.value << ' ' << large.mass;
    EXPECT_LE(got.lower, exact * (1 + 1e-9L)) << large.value << ' ' << large.mass;
  }
}

}  // namespace
}  // namespace muster::numerics
