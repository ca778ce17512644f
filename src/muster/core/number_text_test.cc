// Reads the printed text of random numbers back: rounded_up() and epsilon_text() must never be below the
// value, rounded_down() never above it, and all must be close to it.
#include "muster/core/number_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
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

TEST(RoundedText, NeverOnTheUnsafeSideAndCloseToTheValue) {
  std::mt19937_64 bits(7);
  std::uniform_real_distribution<double> exponent(-300, 300);
  for (int i = 0; i < 100'000; ++i) {
    const double value = std::pow(10, exponent(bits));
    const double up = std::strtod(rounded_up(value).c_str(), nullptr);
    const double down = std::strtod(rounded_down(value).c_str(), nullptr);
    ASSERT_LE(down, value) << rounded_down(value);
    ASSERT_GE(up, value) << rounded_up(value);
    ASSERT_LE(up - down, value * 1.1e-5) << value;
  }
}

TEST(EpsilonText, IsNeverBelowTheValue) {
  std::mt19937_64 bits(8);
  std::uniform_int_distribution<int> tenths(0, 2'000'000);
  int plain_is_below = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double exact = tenths(bits) / 1e4;
    for (const double value : {exact, std::nextafter(exact, 1e9), std::nextafter(exact, 0.0)}) {
      const double printed = std::strtod(epsilon_text(value).c_str(), nullptr);
      ASSERT_GE(printed, value);
      ASSERT_LE(printed, value + 1.001e-4);
      plain_is_below += std::ceil(value * 1e4) / 1e4 < value ? 1 : 0;
    }
  }
  EXPECT_GT(plain_is_below, 0);  // without its correction, epsilon_text() would be below some of the values
  EXPECT_EQ(epsilon_text(0.1234), "0.1234");
  EXPECT_EQ(epsilon_text(std::nextafter(0.1234, 1)), "0.1235");
  EXPECT_EQ(epsilon_text(0), "0.0000");
  EXPECT_EQ(epsilon_text(std::numeric_limits<double>::infinity()), "none");
}

TEST(CountText, HasTheNounInItsNumber) {
  EXPECT_EQ(count_text(0, "round"), "0 rounds");
  EXPECT_EQ(count_text(1, "round"), "1 round");
  EXPECT_EQ(count_text(2, "client"), "2 clients");
  EXPECT_EQ(count_text(std::numeric_limits<std::uint64_t>::max(), "slot"), "18446744073709551615 slots");
}

TEST(RoundedText, KeepsWhatIsExact) {
  EXPECT_EQ(rounded_up(0.25), "0.25");
  EXPECT_EQ(rounded_down(0.25), "0.25");
  EXPECT_EQ(rounded_up(0), "0");
  EXPECT_EQ(rounded_up(13600), "13600");
  EXPECT_EQ(rounded_up(1.2659180001), "1.26592");
  EXPECT_EQ(rounded_up(0.9999999), "1");
  EXPECT_EQ(rounded_down(1.0000001), "1");
  EXPECT_EQ(rounded_up(std::numeric_limits<double>::infinity()), "inf");
}

}  // namespace
}  // namespace muster
