// Compares check-in coins with a reading of their streams word by word, and tests their rates statistically.
// Wrong rates and coins that repeat must fail the same tests.
#include "muster/protocols/check_in_coins.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/core/types.h"
#include "tests/support/statistics.h"

namespace muster::protocols {
namespace {

// The false-alarm probability of each statistical test in this file. The seed is fixed, so a test that passes
// once always passes.
constexpr double kAlpha = 1e-6;

random::RunKey key() { return random::RunKey::from_seed(20); }

std::vector<std::uint64_t> reporting(const CheckInCoins& coins, std::uint64_t round, std::uint64_t clients) {
  std::vector<std::uint64_t> clients_in;
  coins.append_reporting(round, 0, clients, clients_in);
  return clients_in;
}

std::vector<bool> as_flags(const std::vector<std::uint64_t>& clients_in, std::uint64_t clients) {
  std::vector<bool> flags(clients);
  for (const std::uint64_t client : clients_in) {
    flags[client] = true;
  }
  return flags;
}

// Tests that two sets of coins agree for half of the clients, as independent coins of rate 1/2 do.
testing::Verdict agreement_test(const std::vector<bool>& a, const std::vector<bool>& b) {
  std::uint64_t agreeing = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    agreeing += a[i] == b[i] ? 1 : 0;
  }
  return testing::binomial_test(agreeing, a.size(), 0.5, kAlpha);
}

TEST(CheckInCoins, ReportAtTheRate) {
  constexpr std::uint64_t kClients = 60'000;
  constexpr std::uint64_t kRounds = 20;
  for (const double dropout : {0.0, 0.3}) {
    const CheckInCoins coins(key(), 0.1, dropout);
    std::uint64_t reports = 0;
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      reports += reporting(coins, round, kClients).size();
    }
    const auto at_rate = testing::binomial_test(reports, kClients * kRounds, 0.1 * (1 - dropout), kAlpha);
    EXPECT_TRUE(at_rate.pass) << at_rate.summary;
    // The same test detects a rate that is wrong by a tenth.
    const auto off = testing::binomial_test(reports, kClients * kRounds, 0.11 * (1 - dropout), kAlpha);
    EXPECT_FALSE(off.pass) << off.summary;
  }
}

TEST(CheckInCoins, DifferBetweenRoundsAndClients) {
  constexpr std::uint64_t kClients = 1 << 15;
  const CheckInCoins coins(key(), 0.5, 0.0);
  const std::vector<bool> first = as_flags(reporting(coins, 1, kClients), kClients);
  const std::vector<bool> second = as_flags(reporting(coins, 2, kClients), kClients);
  const auto rounds = agreement_test(first, second);
  EXPECT_TRUE(rounds.pass) << rounds.summary;
  std::vector<bool> neighbours(first.begin() + 1, first.end());
  neighbours.push_back(first.front());
  const auto clients = agreement_test(first, neighbours);
  EXPECT_TRUE(clients.pass) << clients.summary;
  // Coins that do not depend on the round fail the same test.
  EXPECT_FALSE(agreement_test(first, first).pass);
}

TEST(CheckInCoins, DropoutIsASecondCoinOfThoseWhoCheckedIn) {
  constexpr std::uint64_t kClients = 100'000;
  const std::vector<std::uint64_t> checked_in = reporting(CheckInCoins(key(), 0.5, 0.0), 1, kClients);
  const std::vector<std::uint64_t> reported = reporting(CheckInCoins(key(), 0.5, 0.25), 1, kClients);
  const std::vector<bool> had_checked_in = as_flags(checked_in, kClients);
  for (const std::uint64_t client : reported) {
    ASSERT_TRUE(had_checked_in[client]);
  }
  const auto stayed = testing::binomial_test(reported.size(), checked_in.size(), 0.75, kAlpha);
  EXPECT_TRUE(stayed.pass) << stayed.summary;
}

TEST(CheckInCoins, NeverReportMoreOftenThanCharged) {
  for (const double rate : {1.0, 0.1, 0.3, 1e-4, 0.7}) {
    for (const double dropout : {0.0, 0.1, 1.0 / 3, 0.05, 0.9, 1e-9}) {
      const CheckInCoins coins(key(), rate, dropout);
      // The products of two doubles are compared in extended precision.
      const long double exact = static_cast<long double>(coins.check_in(0).value()) *
                                static_cast<long double>(coins.stay(1).value());
      const auto charged = static_cast<long double>(Rate::effective(rate, dropout).value());
      EXPECT_LE(exact, charged) << rate << " " << dropout;
      EXPECT_GE(exact, charged * (1 - 1e-14L)) << rate << " " << dropout;
    }
  }
}

// Reads the coin of one client word by word from the two streams that contain its bits.
std::uint64_t coin_of(std::uint64_t round, std::uint64_t client) {
  constexpr std::uint64_t kInStream = std::uint64_t{1} << 35;
  const std::uint64_t place = client % kInStream;
  std::array<std::uint64_t, 2> block;
  random::fill_words(key(), {random::Purpose::check_in_beginning, round, client / kInStream}, place / 8 * 2,
                     block);
  random::KeyedStream rest(key(), {random::Purpose::check_in, round, client});
  const std::uint64_t beginning = block[place % 8 / 4] >> (16 * (place % 4)) & 0xffff;
  return beginning << 48 | rest.next_u64() >> 16;
}

TEST(CheckInCoins, AreThe64BitNumbersBelowTheRate) {
  constexpr std::uint64_t kClients = 1 << 18;
  std::uint64_t ties = 0, reporting_ties = 0;
  for (const double rate : {1e-6, 1e-4, 0.1, 0.9999, std::nextafter(1.0, 0.0)}) {
    const CheckInCoins coins(key(), rate, 0.0);
    const std::uint64_t limit = coins.check_in(0).numerator();
    std::vector<std::uint64_t> expected;
    for (std::uint64_t client = 0; client < kClients; ++client) {
      const std::uint64_t coin = coin_of(5, client);
      const bool tie = coin >> 48 == limit >> 48;
      ties += tie ? 1 : 0;
      reporting_ties += tie && coin < limit ? 1 : 0;
      if (coin < limit) {
        expected.push_back(client);
      }
    }
    EXPECT_EQ(reporting(coins, 5, kClients), expected) << rate;
  }
  // Some coins needed their last 48 bits, and not all of these were decided alike, so the comparison above
  // covers this case.
  EXPECT_GT(reporting_ties, 0u);
  EXPECT_LT(reporting_ties, ties);
}

TEST(CheckInCoins, AreTheSameInAnyRange) {
  const CheckInCoins coins(key(), 0.5, 0.0);
  // The ranges lie around the ends of batches and of a stream.
  for (const std::uint64_t middle : {std::uint64_t{64}, std::uint64_t{1} << 14, std::uint64_t{1} << 35}) {
    std::vector<std::uint64_t> whole, pieces, expected;
    coins.append_reporting(2, middle - 40, 80, whole);
    for (std::uint64_t client = middle - 40; client < middle + 40; ++client) {
      coins.append_reporting(2, client, 1, pieces);
      if (coins.check_in(0).accepts(coin_of(2, client))) {
        expected.push_back(client);
      }
    }
    EXPECT_EQ(whole, expected);
    EXPECT_EQ(pieces, expected);
    coins.append_reporting(2, middle, 0, whole);
    EXPECT_EQ(whole, expected);
  }
}

TEST(CheckInCoins, DropoutFollowsItsSchedule) {
  constexpr std::uint64_t kClients = 200'000;
  const CheckInCoins coins(key(), 0.5, Schedule::piecewise({{1, 0.0}, {3, 0.4}, {4, 0.1}}, "dropout"));
  for (const auto& [round, lost] : {std::pair{1, 0.0}, {2, 0.0}, {3, 0.4}, {4, 0.1}, {9, 0.1}}) {
    const std::uint64_t reports = reporting(coins, static_cast<std::uint64_t>(round), kClients).size();
    const auto at_rate = testing::binomial_test(reports, kClients, 0.5 * (1 - lost), kAlpha);
    EXPECT_TRUE(at_rate.pass) << round << " " << at_rate.summary;
    // The test rejects the dropout of the round before or, where that is the same, a dropout of 0.2.
    const double late = round == 3 ? 0.0 : round == 4 ? 0.4 : 0.2;
    EXPECT_FALSE(testing::binomial_test(reports, kClients, 0.5 * (1 - late), kAlpha).pass);
  }
}

TEST(CheckInCoins, OwnRatesAreUniformInTheRange) {
  constexpr std::uint64_t kClients = 20'000;
  for (const auto& [least, most] : {std::pair{0.2, 0.7}, {0.5, 1.0}, {1e-9, 1e-3}}) {
    const CheckInCoins coins(key(), most, 0.0, least);
    std::vector<double> places;
    for (std::uint64_t client = 0; client < kClients; ++client) {
      const double own = coins.check_in(client).value();
      ASSERT_GE(own, least);
      ASSERT_LE(own, most);
      places.push_back((own - least) / (most - least));
    }
    const auto uniform = testing::uniformity_test(places, kAlpha);
    EXPECT_TRUE(uniform.pass) << uniform.summary;
    for (double& place : places) {
      place *= 0.95;
    }
    EXPECT_FALSE(testing::uniformity_test(places, kAlpha).pass);
  }
}

TEST(CheckInCoins, ClientsReportAtTheirOwnRates) {
  constexpr std::uint64_t kClients = 2'000;
  constexpr std::uint64_t kRounds = 400;
  const CheckInCoins coins(key(), 0.9, 0.25, 0.1);
  std::vector<std::uint64_t> reports(kClients);
  for (std::uint64_t round = 1; round <= kRounds; ++round) {
    for (const std::uint64_t client : reporting(coins, round, kClients)) {
      ++reports[client];
    }
  }
  std::uint64_t off = 0;
  // Some counts must not fit the middle of the rates, which is 0.5, or 0.375 with dropout.
  std::uint64_t off_middle = 0;
  for (std::uint64_t client = 0; client < kClients; ++client) {
    const double own = coins.check_in(client).value() * 0.75;
    off += testing::binomial_test(reports[client], kRounds, own, kAlpha / kClients).pass ? 0 : 1;
    off_middle += testing::binomial_test(reports[client], kRounds, 0.375, kAlpha / kClients).pass ? 0 : 1;
  }
  EXPECT_EQ(off, 0u);
  EXPECT_GT(off_middle, 0u);
}

TEST(CheckInCoins, EverybodyAndNobodyAreLegal) {
  std::vector<std::uint64_t> everybody(10'000);
  std::iota(everybody.begin(), everybody.end(), 0);
  EXPECT_EQ(reporting(CheckInCoins(key(), 1.0, 0.0), 3, 10'000), everybody);
  EXPECT_TRUE(reporting(CheckInCoins(key(), 1e-15, 0.0), 3, 10'000).empty());
}

TEST(CheckInCoins, RangesOfClientsJoinToTheWhole) {
  const CheckInCoins coins(key(), 0.2, 0.1);
  std::vector<std::uint64_t> pieces;
  coins.append_reporting(7, 0, 5, pieces);
  coins.append_reporting(7, 5, 9'000, pieces);
  coins.append_reporting(7, 9'005, 995, pieces);
  EXPECT_EQ(pieces, reporting(coins, 7, 10'000));
}

TEST(CheckInCoins, RefuseWhatIsNoProbability) {
  EXPECT_ERROR(ErrorCode::plan, CheckInCoins(key(), 0.0, 0.0));
  EXPECT_ERROR(ErrorCode::plan, CheckInCoins(key(), 1.5, 0.0));
  EXPECT_ERROR(ErrorCode::plan, CheckInCoins(key(), 0.5, 1.0));
  EXPECT_ERROR(ErrorCode::plan, CheckInCoins(key(), 0.5, -0.1));
}

}  // namespace
}  // namespace muster::protocols
