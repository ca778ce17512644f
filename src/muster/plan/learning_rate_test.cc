// Checks the learning rate at single rounds, its canonical text, and which values and steps are refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/plan/plan.h"

namespace muster::protocols {
namespace {

TEST(LearningRate, HoldsEachStepUntilTheNext) {
  const LearningRate rate = LearningRate::piecewise({{1, 1.0}, {10, 0.5}, {11, 0.25}});
  EXPECT_EQ(rate.at(1), 1.0);
  EXPECT_EQ(rate.at(9), 1.0);
  EXPECT_EQ(rate.at(10), 0.5);
  EXPECT_EQ(rate.at(11), 0.25);
  EXPECT_EQ(rate.at(1'000'000), 0.25);
  EXPECT_EQ(rate.canonical(), "[[1, 1], [10, 0.5], [11, 0.25]]");
}

TEST(LearningRate, OneStepIsAConstant) {
  EXPECT_EQ(LearningRate::piecewise({{1, 0.1}}).canonical(), LearningRate::constant(0.1).canonical());
  EXPECT_EQ(LearningRate::constant(0.1).at(77), 0.1);
}

TEST(LearningRate, InverseSquareRoot) {
  const LearningRate rate = LearningRate::inverse_sqrt(3);
  EXPECT_EQ(rate.at(1), 3);
  EXPECT_EQ(rate.at(9), 1);
  EXPECT_EQ(rate.canonical(), "inverse-sqrt:3");
}

TEST(LearningRate, RefusesWhatIsNoSchedule) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {0.0, -1.0, infinity, -infinity, std::nan("")}) {
    EXPECT_ERROR(ErrorCode::plan, LearningRate::constant(value)) << value;
    EXPECT_ERROR(ErrorCode::plan, LearningRate::inverse_sqrt(value)) << value;
    EXPECT_ERROR(ErrorCode::plan, LearningRate::piecewise({{1, 1.0}, {2, value}})) << value;
  }
  EXPECT_ERROR(ErrorCode::plan, LearningRate::piecewise({}));
  EXPECT_ERROR(ErrorCode::plan, LearningRate::piecewise({{2, 1.0}}));
  EXPECT_ERROR(ErrorCode::plan, LearningRate::piecewise({{1, 1.0}, {5, 0.5}, {5, 0.4}}));
  EXPECT_ERROR(ErrorCode::plan, LearningRate::piecewise({{1, 1.0}, {5, 0.5}, {4, 0.4}}));
  EXPECT_ERROR(ErrorCode::internal, LearningRate::constant(1).at(0));
}

}  // namespace
}  // namespace muster::protocols
