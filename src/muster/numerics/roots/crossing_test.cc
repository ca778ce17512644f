// Checks searches on functions that are not decreasing everywhere, as computed bounds of delta may be.
#include "muster/numerics/roots/crossing.h"

#include <gtest/gtest.h>

#include <cmath>

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

}  // namespace
}  // namespace muster::numerics
