// Tests the learning rates of the theorems and the comparison of curves on values computed by hand.
#include "muster/reproduce/random_check_ins/excess_risk_curves.h"

#include <gtest/gtest.h>

#include <cmath>

namespace muster::reproduce {
namespace {

TEST(ExcessRiskCurves, LearningRatesAreThePrintedOnes) {
  const DescentSetup setup;
  EXPECT_DOUBLE_EQ(setup.noise(), 2);  // p sigma^2 = 8 / 4
  const ConvexTask task = setup.absolute();
  // The rate is R factor / sqrt((p sigma^2 + L^2) i), here at i = 4, with R = 2 and L = 1.
  const Descent fixed = fixed_window(task, 100, 50, 0.5, setup.sigma, 0.3);
  EXPECT_DOUBLE_EQ(fixed.learning_rate(4), 2 * 0.3 / std::sqrt(3.0 * 4));
  EXPECT_EQ(fixed.clients, 100);
  EXPECT_EQ(fixed.slots, 50);
  EXPECT_EQ(fixed.check_in, 0.5);
  // The rate is R sqrt(n) / sqrt((m p sigma^2 + n L^2) i), here at n = 100, m = 25 and i = 9.
  const Descent averaged = averaged_updates(task, 100, 25, 1, setup.sigma);
  EXPECT_DOUBLE_EQ(averaged.learning_rate(9), 2 * 10 / std::sqrt((25 * 2.0 + 100) * 9));
  EXPECT_EQ(averaged.updates, SlotUpdates::averaged);
}

TEST(ExcessRiskCurves, AreComparedByTheUpperEndsOfTheirIntervals) {
  const Curve curve{"runs", Kind::simulated, {{1, 2, "", Spread{1, 4}}, {4, 1, "", Spread{0.5, 2}}}};
  const Curve bound{"bound", Kind::published, {{1, 8, ""}, {4, 1.5, ""}}};
  const Spread margin = margins(bound, curve);
  EXPECT_DOUBLE_EQ(margin.low, 0.75);  // the bound is above the mean, but not above the whole interval
  EXPECT_DOUBLE_EQ(margin.high, 2);
  const Curve rate = fitted_rate(
      "rate", [](double x) { return 1 / std::sqrt(x); }, curve);
  EXPECT_DOUBLE_EQ(rate.points.at(0).value.value(), 2);
  EXPECT_DOUBLE_EQ(rate.points.at(1).value.value(), 1);
  EXPECT_EQ(rate.kind, Kind::published);
}

TEST(ExcessRiskCurves, AHalfPowerIsWithinATenth) {
  EXPECT_TRUE(is_half_power({-0.41, {}}));
  EXPECT_TRUE(is_half_power({-0.59, {}}));
  EXPECT_FALSE(is_half_power({-0.39, {}}));
  EXPECT_FALSE(is_half_power({-0.61, {}}));
  EXPECT_FALSE(is_half_power({0.5, {}}));
}

}  // namespace
}  // namespace muster::reproduce
