// Checks that larger(), smaller() and within() order numbers as usual but return NaN for any NaN, and that a
// failed computation becomes the trivial bound.
#include "muster/numerics/ordered.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace muster::numerics {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Ordered, IsTheOrderOfNumbers) {
  EXPECT_EQ(larger(1.0, 2.0), 2);
  EXPECT_EQ(larger(2.0, 1.0), 2);
  EXPECT_EQ(smaller(1.0, 2.0), 1);
  EXPECT_EQ(larger(1.0, 3.0, 2.0), 3);
  EXPECT_EQ(smaller(3.0L, 1.0L, 2.0L), 1);
  EXPECT_EQ(larger(-kInfinity, kInfinity), kInfinity);
  EXPECT_EQ(larger(kInfinity, kInfinity), kInfinity);
  EXPECT_EQ(within(5.0, 0.0, 1.0), 1);
  EXPECT_EQ(within(-5.0, 0.0, 1.0), 0);
  EXPECT_EQ(within(0.25, 0.0, 1.0), 0.25);
}

TEST(Ordered, KeepsEveryNaN) {
  EXPECT_TRUE(std::isnan(larger(0.0, kNaN)));
  EXPECT_TRUE(std::isnan(larger(kNaN, 0.0)));
  EXPECT_TRUE(std::isnan(smaller(1.0, kNaN)));
  EXPECT_TRUE(std::isnan(smaller(kNaN, 1.0)));
  EXPECT_TRUE(std::isnan(larger(kInfinity, kNaN)));
  EXPECT_TRUE(std::isnan(smaller(1.0, 2.0, kNaN)));
  EXPECT_TRUE(std::isnan(larger(kNaN, 2.0, 1.0)));
  EXPECT_TRUE(std::isnan(within(kNaN, 0.0, 1.0)));
}

TEST(Ordered, AFailedComputationSaysNothing) {
  EXPECT_EQ(as_upper_bound(kNaN), 1);
  EXPECT_EQ(as_upper_bound(kInfinity), 1);
  EXPECT_EQ(as_upper_bound(-1e-30), 1);
  EXPECT_EQ(as_upper_bound(0.5), 0.5);
  EXPECT_EQ(as_upper_bound(kNaN, 7), 7);
  EXPECT_EQ(as_lower_bound(kNaN), 0);
  EXPECT_EQ(as_lower_bound(-1), 0);
  EXPECT_EQ(as_lower_bound(2), 1);
}

}  // namespace
}  // namespace muster::numerics
