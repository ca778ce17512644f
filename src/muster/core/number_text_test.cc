#include "muster/core/number_text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <string>

namespace muster {
namespace {

TEST(NumberText, IsWhatAPersonWrites) {
  EXPECT_EQ(number_text(0.01 * (1 - 0.3)), "0.007");
  EXPECT_EQ(number_text(0.1 + 0.2), "0.3");
  EXPECT_EQ(number_text(2), "2");
  EXPECT_EQ(number_text(60000), "60000");
  EXPECT_EQ(number_text(1e12), "1000000000000");
  EXPECT_EQ(number_text(1e-5), "1e-05");
  EXPECT_EQ(number_text(-0.25), "-0.25");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "inf");
}

TEST(NumberText, WhatWasTypedWithFifteenDigitsIsPrintedAsItWasTyped) {
  for (const char* typed : {"0.7", "0.123456789012345", "3.17258", "999999999999999", "1.5e-300", "0.1"}) {
    EXPECT_EQ(number_text(std::strtod(typed, nullptr)), typed);
  }
}

}  // namespace
}  // namespace muster
