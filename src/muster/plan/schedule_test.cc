// Checks a piecewise constant schedule around the rounds at which it changes, its canonical text, and which
// lists of steps are refused.
#include "muster/plan/schedule.h"

#include <gtest/gtest.h>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"

namespace muster::protocols {
namespace {

TEST(Schedule, HoldsEachStepUntilTheNext) {
  const Schedule schedule = Schedule::piecewise({{1, 0.5}, {3, 0.0}, {4, 0.25}}, "key");
  EXPECT_EQ(schedule.at(1), 0.5);
  EXPECT_EQ(schedule.at(2), 0.5);
  EXPECT_EQ(schedule.at(3), 0.0);
  EXPECT_EQ(schedule.at(1'000'000), 0.25);
  EXPECT_FALSE(schedule.constant());
  EXPECT_EQ(schedule.canonical(), "[[1, 0.5], [3, 0], [4, 0.25]]");
}

TEST(Schedule, StepsThatChangeNothingMakeAConstant) {
  EXPECT_TRUE(Schedule::piecewise({{1, 0.5}, {3, 0.5}}, "key").constant());
  EXPECT_TRUE(Schedule(0.5).constant());
  EXPECT_EQ(Schedule(0.5).canonical(), "0.5");
}

TEST(Schedule, RefusesWhatIsNoSchedule) {
  EXPECT_ERROR(ErrorCode::plan, Schedule::piecewise({}, "key"));
  EXPECT_ERROR(ErrorCode::plan, Schedule::piecewise({{1, 1.0}, {5, 0.5}, {5, 0.4}}, "key"));
  EXPECT_ERROR(ErrorCode::internal, Schedule(1).at(0));
  const Error error = error_of([&] { Schedule::piecewise({{2, 1.0}}, "participation.dropout"); });
  EXPECT_EQ(error.code(), ErrorCode::plan);
  EXPECT_EQ(error.key(), "participation.dropout");
}

}  // namespace
}  // namespace muster::protocols
