// Tests the device's coins and sending times statistically at a false-alarm rate of 1e-9. A rate that is off
// by half a percent, and a device that tosses again, must fail the same tests.
#include "muster/service/client/draws.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <iostream>
#include <memory>
#include <set>
#include <vector>

#include "muster/service/model/tasks_test.h"
#include "tests/support/statistics.h"

namespace muster::service {
namespace {

// A correct device fails a test of this file with at most this probability.
constexpr double kAlarm = 1e-9;
constexpr std::uint64_t kRounds = 100'000;

protocols::Plan plan_at(double rate) {
  return deployed_plan().with("participation.rate", std::to_string(rate));
}

TEST(Draws, CoinsOfTheOperatingSystemHaveTheRate) {
  for (const double rate : {0.001, 0.1, 0.5, 0.9}) {
    OsDraws draws(plan_at(rate));
    std::uint64_t heads = 0, alike = 0;
    bool before = draws.coin(0);
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      const bool coin = draws.coin(round);
      heads += coin ? 1 : 0;
      alike += coin == before ? 1 : 0;
      before = coin;
    }
    const auto one = testing::binomial_test(heads, kRounds, rate, kAlarm);
    EXPECT_TRUE(one.pass) << one.summary;
    if (rate != 0.5) continue;
    // At the rate 1/2, and at no other, a coin is like the one before with the same probability whatever the
    // one before was.
    const auto two = testing::binomial_test(alike, kRounds, 0.5, kAlarm);
    EXPECT_TRUE(two.pass) << two.summary;
  }
  OsDraws certain(plan_at(1));
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(certain.coin(1));
}

// The coins of a thousand devices, each with its own draws, in a thousand rounds each. With a rate of 0.9,
// the test must notice a coin whose rate is off by half a percent of it: 4,500 heads of a million, which are
// 15 standard deviations; the threshold is at 6.1.
TEST(Draws, AMillionCoinsOfDevicesHaveTheDeclaredRate) {
  constexpr std::uint64_t kDevices = 1'000, kEach = 1'000;
  const auto heads_at = [](double rate) {
    const TaskDocument task = TaskDocument::make(plan_at(rate), task_settings());
    std::uint64_t heads = 0;
    for (std::uint64_t device = 0; device < kDevices; ++device) {
      const std::unique_ptr<Draws> draws = draws_of(task, device);
      for (std::uint64_t round = 1; round <= kEach; ++round) heads += draws->coin(round) ? 1 : 0;
    }
    return heads;
  };
  const auto declared = testing::binomial_test(heads_at(0.9), kDevices * kEach, 0.9, kAlarm);
  EXPECT_TRUE(declared.pass) << declared.summary;
  std::cout << declared.summary << "\n";
  for (const double off : {0.9 * 0.995, 0.9 * 1.005}) {
    const auto verdict = testing::binomial_test(heads_at(off), kDevices * kEach, 0.9, kAlarm);
    EXPECT_FALSE(verdict.pass) << verdict.summary;
  }
}

// The same test must notice a device that crashes in every 15th round and then tosses again if it had tails.
TEST(Draws, ADeviceThatTossesAgainIsCaught) {
  OsDraws draws(plan_at(0.5));
  std::uint64_t heads = 0;
  for (std::uint64_t round = 1; round <= kRounds; ++round) {
    bool coin = draws.coin(round);
    if (round % 15 == 0 && !coin) coin = draws.coin(round);
    heads += coin ? 1 : 0;
  }
  EXPECT_FALSE(testing::binomial_test(heads, kRounds, 0.5, kAlarm).pass) << heads;
}

TEST(Draws, SendTimesAreUniform) {
  OsDraws draws(plan_at(0.5));
  std::vector<std::uint64_t> bins(10);
  for (std::uint64_t i = 0; i < kRounds; ++i) ++bins.at(draws.below(1000) / 100);
  const auto verdict =
      testing::chi_squared_test(bins, std::vector<double>(10, static_cast<double>(kRounds) / 10), kAlarm);
  EXPECT_TRUE(verdict.pass) << verdict.summary;
}

TEST(Draws, EveryMessageHasAKeyOfItsOwn) {
  OsDraws draws(plan_at(0.5));
  std::set<std::array<std::uint8_t, 176>> keys;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(keys.insert(draws.message_key().schedule()).second);
}

TEST(Draws, SeededOnesAreThoseOfTheSimulation) {
  const protocols::Plan plan = deployed_plan();
  const protocols::CheckInCoins coins(random::RunKey::from_seed(plan.seed()), plan.rate(), plan.dropout());
  for (const std::uint64_t round : {1u, 2u, 20u}) {
    std::vector<std::uint64_t> expected, drawn;
    coins.append_reporting(round, 0, plan.clients(), expected);
    for (std::uint64_t client = 0; client < plan.clients(); ++client) {
      SeededDraws draws(plan, client);
      if (draws.coin(round)) drawn.push_back(client);
      EXPECT_EQ(draws.client(), client);
    }
    EXPECT_EQ(drawn, expected);
  }
  EXPECT_EQ(SeededDraws(plan, 3).message_key().schedule(), random::RunKey::from_seed(plan.seed()).schedule());
}

TEST(Draws, TheTaskSaysWhich) {
  TaskSettings settings = task_settings();
  EXPECT_NE(dynamic_cast<OsDraws*>(draws_of(TaskDocument::make(deployed_plan(), settings), 3).get()),
            nullptr);
  settings.randomness = Randomness::seeded;
  EXPECT_NE(dynamic_cast<SeededDraws*>(draws_of(TaskDocument::make(deployed_plan(), settings), 3).get()),
            nullptr);
}

}  // namespace
}  // namespace muster::service
