// Checks searches on functions that are not decreasing everywhere, as computed bounds of delta may be.
#include "muster/numerics/roots/crossing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <utility>

namespace muster::numerics {
namespace {

// A bound that falls suddenly at `fall`, consists of an allowance that rises with e^x from there to `end`,
// and is 0 from `end` on.
struct Allowance {
  double fall, end;
  double operator()(double x) const {
    return x < fall ? std::exp(-5 - x) : x < end ? 1e-290 * std::exp(x) : 0;
  }
};

TEST(Crossing, IsFoundToTheLeftOfARise) {
  for (const double fall : {0.03, 0.5217, 0.69}) {
    const Allowance bound{fall, 0.74};
    for (const double share : {0.05, 0.5, 0.9, 0.99}) {
      const double target = bound(fall + share * (bound.end - fall));
      for (const double start : {1e-2, 0.3, 1.0}) {
        const double found = crossing_from_above(bound, target, 1e20, start);
        EXPECT_LE(bound(found), target);
        EXPECT_NEAR(found, fall, 1e-8) << fall << ' ' << share << ' ' << start;
      }
    }
  }
}

// No value is at most the target before the allowance ends.
TEST(Crossing, IsFoundToTheRightOfAnAllowanceThatIsTooLarge) {
  const Allowance bound{0.5, 0.74};
  const double found = crossing_from_above(bound, 0.5 * bound(0.5), 1e20);
  EXPECT_LE(bound(found), 0.5 * bound(0.5));
  EXPECT_NEAR(found, 0.74, 1e-8);
}

TEST(Crossing, AFallingFunctionIsSearchedOnce) {
  int evaluations = 0;
  const auto falling = [&](double x) {
    ++evaluations;
    return std::exp(-x * x / 2 - x);
  };
  for (const double target : {0.1, 1e-5, 1e-30, 1e-200}) {
    evaluations = 0;
    const double found = crossing_from_above(falling, target, 1e20);
    EXPECT_NEAR(found, std::sqrt(1 - 2 * std::log(target)) - 1, 1e-8 * found);
    EXPECT_LE(evaluations, 30) << target;
  }
}

TEST(Crossing, AWiderResultTakesFewerEvaluations) {
  int evaluations = 0;
  const auto falling = [&](double x) {
    ++evaluations;
    return std::exp(-x * x / 2 - x);
  };
  for (const double target : {0.1, 1e-5, 1e-30, 1e-200}) {
    const double crossing = std::sqrt(1 - 2 * std::log(target)) - 1;
    evaluations = 0;
    crossing_from_above(falling, target, 1e20, 1);
    const int narrow = std::exchange(evaluations, 0);
    const double above = crossing_from_above(falling, target, 1e20, 1, 1e-4);
    EXPECT_LT(evaluations, narrow) << target;
    const double below = crossing_from_below(falling, target, 1e20, 1, 1e-4);
    EXPECT_GE(above, crossing * (1 - 1e-12));
    EXPECT_LE(above, crossing * (1 + 1e-4));
    EXPECT_LE(below, crossing * (1 + 1e-12));
    EXPECT_GE(below, crossing * (1 - 1e-4));
  }
}

// The logarithm of a composed bound can have kinks, and can be almost constant over a long way before it
// falls. Secants alone would then move one end of the bracket by tiny steps.
TEST(Crossing, KinksAndPlateausTakeFewEvaluations) {
  int evaluations = 0, searches = 0, total = 0;
  for (const double kink : {0.5, 3.0, 20.0}) {
    for (const double before : {1e-3, 1e-2, 5.0}) {
      for (const double after : {1e-2, 1.0, 300.0}) {
        const auto value = [&](double x) {
          ++evaluations;
          return std::exp(-3 - before * smaller(x, kink) - after * larger(0.0, x - kink));
        };
        for (const double crossing : {0.01, 0.9, 1.001, 1.1, 7.0}) {
          const double target = value(crossing * kink);
          if (target < 1e-300) continue;
          evaluations = 0;
          const double found = crossing_from_above(value, target, 1e20);
          EXPECT_LE(value(found), target);
          EXPECT_NEAR(found, crossing * kink, 1e-8 * crossing * kink) << before << ' ' << after;
          total += evaluations - 1;  // without the one by which this test checks the result
          ++searches;
        }
      }
    }
  }
  std::printf("%d searches took %d evaluations\n", searches, total);
  EXPECT_LE(total, 25 * searches);
}

}  // namespace
}  // namespace muster::numerics
