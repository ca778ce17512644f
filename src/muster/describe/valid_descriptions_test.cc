// Checks that no description of a randomizer or a protocol accepts a value out of range. Each refusal names
// the plan's key (or the argument where there is no key), the value and what is allowed.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"

namespace muster::accounting {
namespace {

using Kind = RandomCheckIn::Kind;

void expect_refused(const std::function<void()>& make, const std::string& key, const std::string& value,
                    const std::string& allowed) {
  SCOPED_TRACE(key + " = " + value);
  const Error error = error_of(make);
  EXPECT_EQ(error.code(), ErrorCode::plan);
  EXPECT_EQ(error.key(), key);
  EXPECT_EQ(error.value(), value);
  EXPECT_EQ(error.allowed(), allowed);
}

TEST(ValidDescriptions, MechanismsAreCheckedWhenTheyAreMade) {
  struct Bad {
    double number;
    std::string text;
  };
  for (const auto& [number, text] : {Bad{0, "0"}, Bad{-1, "-1"}, Bad{1e-101, "1e-101"}, Bad{HUGE_VAL, "inf"},
                                     Bad{std::numeric_limits<double>::quiet_NaN(), "nan"}}) {
    const double bad = number;
    const std::string allowed = "a finite number >= 1e-100";
    expect_refused([bad] { PureLocal{bad}; }, "randomizer.epsilon0", text, allowed);
    expect_refused([bad] { LdpSgdLocal{bad}; }, "randomizer.epsilon0", text, allowed);
    expect_refused([bad] { CoordinateLocal(CoordinateLocal::Norm::l2, bad); }, "randomizer.epsilon0", text,
                   allowed);
    expect_refused([bad] { KRandomizedResponse(bad, 2); }, "randomizer.epsilon0", text, allowed);
    expect_refused([bad] { LaplaceLocal{bad}; }, "randomizer.epsilon0", text, allowed);
    if (bad > 0 && std::isfinite(bad)) continue;  // too small for epsilon0, but valid for sigma and diameter
    expect_refused([bad] { GaussianLocal{bad}; }, "randomizer.sigma", text, "a finite number > 0");
    expect_refused([bad] { GaussianLocal(5, bad); }, "randomizer.diameter", text, "a finite number > 0");
  }
  expect_refused([] { KRandomizedResponse(1, 1); }, "randomizer.k", "1", "integer >= 2");
  EXPECT_EQ(PureLocal{kMinEpsilon0}.epsilon0(), kMinEpsilon0);
  EXPECT_EQ(KRandomizedResponse(1, 2).k(), 2U);
  EXPECT_EQ(GaussianLocal(5).mu(), 0.4);
}

TEST(ValidDescriptions, ProtocolsAreCheckedWhenTheyAreMade) {
  const ClientCount n = ClientCount::of(10);
  const Rate low = Rate::of(0.25), high = Rate::of(0.5);
  for (const std::uint64_t bad : {0, 11}) {
    expect_refused([&] { FixedSubset(n, bad); }, "participation.subset", std::to_string(bad),
                   "integer 1..10");
    expect_refused([&] { AggregatedCheckIn(n, high, bad); }, "participation.minimum", std::to_string(bad),
                   "integer 1..10");
  }
  expect_refused([&] { RandomCheckIn(Kind::fixed, n, 0, high); }, "participation.slots", "0", "integer >= 1");
  expect_refused([&] { ShuffledCheckIn(n, low, high); }, "participation.rate", "0.5:0.25", "lo <= hi");
  expect_refused([&] { RandomCheckIn(Kind::averaged, n, 3, low, high); }, "participation.rate", "0.5:0.25",
                 "lo <= hi");
  expect_refused([&] { AggregatedCheckIn(n, low, 1, high); }, "participation.rate", "0.5:0.25", "lo <= hi");
  EXPECT_EQ(FixedSubset(n, 10).subset(), 10U);
  EXPECT_EQ(AggregatedCheckIn(n, high, 10).minimum(), 10U);
  EXPECT_EQ(min_message_rate(ShuffledCheckIn(n, high, low)).value(), 0.25);
}

// The rate of a subset, k / n, multiplies upper bounds. The fused multiply-add rounds once, so its sign is
// that of rate * n - k.
TEST(ValidDescriptions, TheRateOfASubsetIsRoundedUp) {
  int too_small = 0;  // for how many k the quotient itself is
  for (const std::uint64_t n : {3ull, 10ull, 49ull, 60'000ull, 999'999'999'989ull}) {
    for (std::uint64_t k = 1; k <= n; k += 1 + n / 40) {
      const double clients = static_cast<double>(n), subset = static_cast<double>(k);
      const double rate = message_rate(FixedSubset(ClientCount::of(n), k)).value();
      EXPECT_GE(std::fma(rate, clients, -subset), 0) << k << " of " << n;
      EXPECT_LE(rate, std::nextafter(subset / clients, 2.0)) << k << " of " << n;
      too_small += std::fma(subset / clients, clients, -subset) < 0;
    }
  }
  EXPECT_GE(too_small, 30);
  const ClientCount n = ClientCount::of(8);
  EXPECT_EQ(message_rate(FixedSubset(n, 2)).value(), 0.25);
  EXPECT_EQ(message_rate(FixedSubset(n, 8)).value(), 1);
}

}  // namespace
}  // namespace muster::accounting
