// Compares random check-ins with their exact laws: which clients are present at a slot, which one the server
// chooses, how often it must send a dummy, and sliding windows.
#include "muster/protocols/roll_call_slots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "tests/support/statistics.h"

namespace muster::protocols {
namespace {

constexpr double kAlpha = 1e-6;  // false-alarm probability of each statistical test

random::RunKey key() { return random::RunKey::from_seed(47); }
CheckInCoins coins(double rate, double dropout = 0) { return {key(), rate, dropout}; }

std::vector<Sender> step(RollCall& roll_call, std::uint64_t first_round) {
  std::vector<Sender> senders;
  roll_call.append_senders(first_round, {}, senders);
  return senders;
}

// --- who checks in where --------------------------------------------------------------------------

TEST(RollCallAveraged, EveryClientIsAtOneUniformSlotOfARunAtMost) {
  constexpr std::uint64_t kClients = 20'000;
  constexpr std::uint64_t kSlots = 25;
  RollCallAveraged roll_call(key(), coins(0.8, 0.25), kClients, kSlots);
  std::vector<std::uint64_t> loads;
  // For each run, the slot of each client.
  std::vector<std::map<std::uint64_t, std::uint64_t>> slot_of(2);
  for (std::uint64_t run = 0; run < 2; ++run) {
    for (std::uint64_t slot = 0; slot < kSlots; ++slot) {
      const auto senders = step(roll_call, run * kSlots + slot + 1);
      loads.push_back(senders.size());
      for (const Sender& sender : senders) {
        EXPECT_TRUE(slot_of[run].emplace(sender.client, slot).second) << "twice in a run";
      }
    }
  }
  const double present = static_cast<double>(slot_of[0].size() + slot_of[1].size());
  const auto even =
      testing::chi_squared_test(loads, std::vector<double>(2 * kSlots, present / (2 * kSlots)), kAlpha);
  EXPECT_TRUE(even.pass) << even.summary;
  const auto at_rate =
      testing::binomial_test(slot_of[0].size() + slot_of[1].size(), 2 * kClients, 0.6, kAlpha);
  EXPECT_TRUE(at_rate.pass) << at_rate.summary;

  // Clients choose again in every run: their slots in the two runs are independent.
  std::uint64_t both = 0, same = 0;
  for (const auto& [client, slot] : slot_of[0]) {
    const auto again = slot_of[1].find(client);
    both += again != slot_of[1].end() ? 1 : 0;
    same += again != slot_of[1].end() && again->second == slot ? 1 : 0;
  }
  const auto returns = testing::binomial_test(both, kClients, 0.36, kAlpha);
  EXPECT_TRUE(returns.pass) << returns.summary;
  const auto elsewhere = testing::binomial_test(same, both, 1.0 / kSlots, kAlpha);
  EXPECT_TRUE(elsewhere.pass) << elsewhere.summary;
  // The test rejects clients whose slot never changes.
  EXPECT_FALSE(testing::binomial_test(both, both, 1.0 / kSlots, kAlpha).pass);

  // The test rejects loads in which all clients of one slot have moved to the next slot.
  loads[4] += std::exchange(loads[3], 0);
  EXPECT_FALSE(
      testing::chi_squared_test(loads, std::vector<double>(2 * kSlots, present / (2 * kSlots)), kAlpha).pass);
}

// --- whom the server picks ------------------------------------------------------------------------

// The averaged roll call with the same key lists all clients that are present. The fixed window must choose
// each of them equally often, or a dummy if nobody is present.
TEST(RollCallOfFixedWindow, OneUniformClientOfThosePresentOrADummy) {
  constexpr std::uint64_t kClients = 300;
  constexpr std::uint64_t kSlots = 150;
  constexpr std::uint64_t kRuns = 200;
  RollCallOfFixedWindow fixed(key(), coins(0.7), kClients, kSlots, 1);
  RollCallAveraged everybody(key(), coins(0.7), kClients, kSlots);
  // For each number of clients present, how often each rank among them was chosen.
  std::map<std::size_t, std::vector<std::uint64_t>> picked;
  for (std::uint64_t round = 1; round <= kSlots * kRuns; ++round) {
    const auto senders = step(fixed, round);
    ASSERT_EQ(senders.size(), 1);
    std::vector<Sender> present = step(everybody, round);
    std::ranges::sort(present, {}, &Sender::client);
    EXPECT_EQ(senders[0].dummy, present.empty());
    if (present.empty()) {
      EXPECT_EQ(senders[0], (Sender{kClients, round, true}));
      continue;
    }
    const auto found = std::ranges::find(present, senders[0]);
    ASSERT_NE(found, present.end());
    auto& ranks = picked[present.size()];
    ranks.resize(present.size());
    ++ranks[static_cast<std::size_t>(found - present.begin())];
  }
  for (const std::size_t count : {2u, 3u, 4u}) {
    const auto& ranks = picked.at(count);
    std::uint64_t all = 0;
    for (const std::uint64_t rank : ranks) all += rank;
    const std::vector<double> expected(count, static_cast<double>(all) / static_cast<double>(count));
    const auto even = testing::chi_squared_test(ranks, expected, kAlpha);
    EXPECT_TRUE(even.pass) << count << ": " << even.summary;
    // The test rejects a server at which every new client replaces the choice with probability 1/2.
    std::vector<std::uint64_t> halves(count, all);
    for (std::size_t i = 1; i < count; ++i) {
      halves[i] = all >> (count - i);
      halves[0] -= halves[i];
    }
    if (count > 2) {
      EXPECT_FALSE(testing::chi_squared_test(halves, expected, kAlpha).pass);
    }
  }
}

// If each of n clients reports with probability p in a run of m slots, a slot is empty with probability (1 -
// p/m)^n. The number of dummies at each of three slots is compared with this law over many runs. (Proposition
// 3.4 of the paper gives the sum over all slots.)
TEST(RollCallOfFixedWindow, DummiesAreAsManyAsTheLawSays) {
  constexpr std::uint64_t kClients = 40;
  constexpr std::uint64_t kSlots = 20;
  constexpr std::uint64_t kRuns = 20'000;
  const double rate = 0.75;  // the effective rate of rate 1 with dropout 1/4
  RollCallOfFixedWindow roll_call(key(), coins(1, 0.25), kClients, kSlots, 1);
  std::map<std::uint64_t, std::uint64_t> dummies;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    std::set<std::uint64_t> senders;
    for (std::uint64_t slot = 0; slot < kSlots; ++slot) {
      const Sender sender = step(roll_call, run * kSlots + slot + 1).front();
      dummies[slot] += sender.dummy ? 1 : 0;
      EXPECT_TRUE(sender.dummy || senders.insert(sender.client).second) << "twice in a run";
    }
  }
  const double empty = std::pow(1 - rate / kSlots, kClients);
  for (const std::uint64_t slot : {0u, 7u, 19u}) {
    const auto verdict = testing::binomial_test(dummies[slot], kRuns, empty, kAlpha);
    EXPECT_TRUE(verdict.pass) << slot << ": " << verdict.summary;
    // The test rejects a law that ignores the dropout.
    EXPECT_FALSE(
        testing::binomial_test(dummies[slot], kRuns, std::pow(1 - 1.0 / kSlots, kClients), kAlpha).pass);
  }
}

TEST(RollCallOfFixedWindow, ABatchIsItsSlots) {
  RollCallOfFixedWindow single(key(), coins(0.5), 60, 30, 1);
  RollCallOfFixedWindow batched(key(), coins(0.5), 60, 30, 5);
  EXPECT_EQ(batched.rounds_a_step(), 5);
  for (std::uint64_t round = 1; round <= 90; round += 5) {
    std::vector<Sender> expected;
    for (std::uint64_t i = 0; i < 5; ++i) single.append_senders(round + i, {}, expected);
    EXPECT_EQ(step(batched, round), expected);
  }
}

// --- sliding windows ------------------------------------------------------------------------------

struct Sliding {
  static constexpr std::uint64_t kClients = 24;
  static constexpr std::uint64_t kWindow = 6;
  static constexpr std::uint64_t kSlots = kClients - kWindow + 1;
};

// Let m be the length of the window and p the rate. Client j, counted from 0, wakes at time j + 1, and the
// first slot with an update is at time m. So at each slot m clients can be present, all with the same
// probability, and each is chosen with probability (1 - (1 - p/m)^m) / m.
TEST(RollCallOfSlidingWindow, EachOfTheWindowsClientsIsPickedAlike) {
  constexpr std::uint64_t kRuns = 20'000;
  const double rate = 0.6;
  RollCallOfSlidingWindow roll_call(key(), coins(0.8, 0.25), Sliding::kClients, Sliding::kWindow);
  const double empty = std::pow(1 - rate / Sliding::kWindow, Sliding::kWindow);
  std::vector<std::map<std::uint64_t, std::uint64_t>> picked(Sliding::kSlots);
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    std::set<std::uint64_t> senders;
    for (std::uint64_t slot = 0; slot < Sliding::kSlots; ++slot) {
      const auto sent = step(roll_call, run * Sliding::kSlots + slot + 1);
      ASSERT_EQ(sent.size(), 1);
      ++picked[slot][sent[0].client];
      EXPECT_TRUE(sent[0].dummy || senders.insert(sent[0].client).second) << "twice in a run";
    }
  }
  const double each = kRuns * (1 - empty) / Sliding::kWindow;
  std::vector<double> expected(Sliding::kWindow, each);
  expected.push_back(kRuns * empty);
  for (const std::uint64_t slot :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{9}, Sliding::kSlots - 1}) {
    // At time m + slot, clients slot .. slot + m - 1 or the dummy can send.
    std::vector<std::uint64_t> observed;
    std::uint64_t outside = kRuns;
    for (std::uint64_t client = slot; client < slot + Sliding::kWindow; ++client) {
      observed.push_back(picked[slot][client]);
    }
    observed.push_back(picked[slot][Sliding::kClients]);
    for (const std::uint64_t count : observed) outside -= count;
    EXPECT_EQ(outside, 0u);
    const auto verdict = testing::chi_squared_test(observed, expected, kAlpha);
    EXPECT_TRUE(verdict.pass) << slot << ": " << verdict.summary;
    // The test rejects the law of a fixed window with the same number of slots.
    std::vector<double> fixed(Sliding::kWindow, kRuns * rate / Sliding::kSlots);
    fixed.push_back(kRuns * (1 - rate * Sliding::kWindow / Sliding::kSlots));
    EXPECT_FALSE(testing::chi_squared_test(observed, fixed, kAlpha).pass);
  }
}

TEST(RollCallOfSlidingWindow, AWindowOfOneStepAndOneOfAll) {
  RollCallOfSlidingWindow one(key(), coins(1), 9, 1);
  for (std::uint64_t round = 1; round <= 18; ++round) {
    EXPECT_EQ(step(one, round), (std::vector<Sender>{{(round - 1) % 9, round, false}}));
  }
  // If the window has one step per client, only the last slot has an update, with the law of the last slot of
  // a fixed window.
  RollCallOfSlidingWindow all(key(), coins(1), 9, 9);
  std::uint64_t dummies = 0;
  for (std::uint64_t round = 1; round <= 5'000; ++round) dummies += step(all, round).front().dummy ? 1 : 0;
  const auto verdict = testing::binomial_test(dummies, 5'000, std::pow(8.0 / 9, 9), kAlpha);
  EXPECT_TRUE(verdict.pass) << verdict.summary;
}

TEST(Reservoir, IsUniformOverWhatItWasOffered) {
  random::KeyedStream bits(key(), {random::Purpose::audit, 1, 0});
  for (const std::uint64_t count : {1u, 2u, 5u, 9u}) {
    std::vector<std::uint64_t> kept(count);
    for (int trial = 0; trial < 20'000; ++trial) {
      Reservoir reservoir;
      EXPECT_TRUE(reservoir.empty());
      for (std::uint64_t client = 0; client < count; ++client) reservoir.offer(client, bits);
      ++kept.at(reservoir.client());
    }
    if (count > 1) {
      const std::vector<double> expected(count, 20'000.0 / static_cast<double>(count));
      const auto verdict = testing::chi_squared_test(kept, expected, kAlpha);
      EXPECT_TRUE(verdict.pass) << verdict.summary;
    }
  }
}

}  // namespace
}  // namespace muster::protocols
