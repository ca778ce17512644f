#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "muster/core/error.h"
#include "muster/core/types.h"

namespace muster {
namespace {

TEST(Error, ComposesWhatWasRefused) {
  const Error error(ErrorCode::plan, "privacy.delta", "2", "in (0, 1)", "not a delta");
  EXPECT_STREQ(error.what(), "privacy.delta = 2: not a delta (allowed: in (0, 1))");
  EXPECT_STREQ(Error(ErrorCode::internal, "", "", "", "broken").what(), "broken");
}

TEST(Error, ExitStatusesAreTheDocumentedOnes) {
  EXPECT_EQ(exit_status(ErrorCode::usage), 2);
  EXPECT_EQ(exit_status(ErrorCode::plan), 2);
  EXPECT_EQ(exit_status(ErrorCode::uncovered), 2);
  EXPECT_EQ(exit_status(ErrorCode::data), 3);
  EXPECT_EQ(exit_status(ErrorCode::file), 3);
  EXPECT_EQ(exit_status(ErrorCode::checkpoint), 3);
  EXPECT_EQ(exit_status(ErrorCode::budget), 4);
  EXPECT_EQ(exit_status(ErrorCode::internal), 5);
  EXPECT_EQ(exit_status(ErrorCode::interrupted), 130);
}

TEST(Types, RefuseWhatTheyAreNot) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (double bad : {nan, -1.0, 0.0, 1.0, 2.0}) {
    EXPECT_THROW(Delta::of(bad), Error) << bad;
  }
  for (double bad : {nan, -1.0, 0.0, 1.5}) {
    EXPECT_THROW(Rate::of(bad), Error) << bad;
  }
  EXPECT_THROW(Epsilon::of(nan), Error);
  EXPECT_THROW(Epsilon::of(-1e-300), Error);
  EXPECT_THROW(ClientCount::of(0), Error);
  EXPECT_THROW(ClientCount::of(1'000'000'000'001), Error);
  EXPECT_THROW(Rate::effective(0.5, 1.0), Error);
  EXPECT_DOUBLE_EQ(Rate::effective(0.5, 0.2).value(), 0.4);
  EXPECT_EQ(Rate::of(1).value(), 1);
}

}  // namespace
}  // namespace muster
