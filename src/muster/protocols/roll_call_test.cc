// Tests the properties of every roll call that the engine and the accountant require: shares that add up to
// the whole, rounds in any order, and the rate, minimum and slots that participation() describes. The laws of
// single protocols are tested in roll_call_subset_test.cc and roll_call_slots_test.cc.
#include "muster/protocols/roll_call.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <set>
#include <variant>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/plan/keys.h"
#include "muster/plan/source.h"
#include "tests/support/class_name.h"
#include "tests/support/statistics.h"

namespace muster::protocols {
namespace {

constexpr double kAlpha = 1e-6;  // false-alarm probability of each statistical test

const std::vector<Protocol> kAll = {Protocol::shuffle,
                                    Protocol::subset,
                                    Protocol::shuffled_check_in,
                                    Protocol::random_check_in_fixed,
                                    Protocol::random_check_in_averaged,
                                    Protocol::random_check_in_sliding,
                                    Protocol::aggregated_check_in};

// The classes of the roll calls of these protocols, which tests/architecture/house_rules.py looks for.
const std::vector<std::string> kClasses = {
    "RollCallOfEverybody", "RollCallOfSubset",        "RollCallByCoins", "RollCallOfFixedWindow",
    "RollCallAveraged",    "RollCallOfSlidingWindow", "RollCallByCoins"};

random::RunKey key() { return random::RunKey::from_seed(31); }

// Returns a plan of this protocol for training; `changes` replaces some of its values.
Plan plan_of(Protocol protocol, const std::map<std::string_view, std::string>& changes = {}) {
  std::map<std::string_view, std::string> keys = {
      {"population.clients", "101"},  {"participation.rate", "0.6"}, {"participation.dropout", "0.25"},
      {"participation.subset", "37"}, {"participation.slots", "12"}, {"participation.minimum", "5"},
      {"rounds.count", "4"},          {"rounds.batch", "3"},         {"rounds.learning_rate", "0.1"},
      {"randomizer.epsilon0", "1"},   {"randomizer.clip", "1"},      {"population.data", "digits"},
      {"model.kind", "logistic"},     {"privacy.delta", "1e-5"}};
  for (const auto& [key, text] : changes) {
    keys[key] = text;
  }
  PlanSource source;
  source.override_key("participation.protocol", name_of(protocol));
  source.override_key("randomizer.kind", "ldp-sgd");
  for (const auto& [key, text] : keys) {
    if (spec_of(key).applies_to(name_of(protocol), "ldp-sgd")) {
      source.override_key(key, text);
    }
  }
  return Plan::validate(source, Command::train);
}

using Senders = std::vector<Sender>;

Senders sorted(Senders senders) {
  std::ranges::sort(senders, {}, [](const Sender& s) { return std::tuple(s.round, s.client, s.dummy); });
  return senders;
}

Senders step(RollCall& roll_call, std::uint64_t first_round, Share share = {}) {
  Senders senders;
  roll_call.append_senders(first_round, share, senders);
  return sorted(senders);
}

TEST(RangeOf, PartsAreTheWhole) {
  for (const std::uint64_t count : {0ull, 1ull, 2ull, 7ull, 100ull, 1'000'000'000'000ull}) {
    for (std::uint64_t of = 1; of <= 9; ++of) {
      std::uint64_t next = 0;
      for (std::uint64_t index = 0; index < of; ++index) {
        const Range range = range_of(count, {index, of});
        EXPECT_EQ(range.first, next);
        EXPECT_LE(range.count, count / of + 1);
        next += range.count;
      }
      EXPECT_EQ(next, count);
    }
  }
}

TEST(RollCall, IsTheClassOfTheList) {
  ASSERT_EQ(kClasses.size(), kAll.size());
  for (std::size_t i = 0; i < kAll.size(); ++i) {
    EXPECT_EQ(testing::class_name(*make_roll_call(plan_of(kAll[i]), key())), kClasses[i]) << name_of(kAll[i]);
  }
}

TEST(RollCall, PartsAreTheWholeForEveryNumberOfParts) {
  for (const Protocol protocol : kAll) {
    const Plan plan = plan_of(protocol);
    const auto whole = make_roll_call(plan, key());
    for (std::uint64_t of = 1; of <= 4; ++of) {
      std::vector<std::unique_ptr<RollCall>> ranks;
      for (std::uint64_t index = 0; index < of; ++index) {
        ranks.push_back(make_roll_call(plan, key()));
      }
      for (std::uint64_t round = 1; round <= plan.updates(); round += whole->rounds_a_step()) {
        const Senders expected = step(*whole, round);
        Senders joined, one;
        for (std::uint64_t index = 0; index < of; ++index) {
          ranks[index]->append_senders(round, {index, of}, joined);
          whole->append_senders(round, {index, of}, one);  // the same object gives all shares
        }
        ASSERT_EQ(sorted(joined), expected) << name_of(protocol) << " " << round << " of " << of;
        ASSERT_EQ(sorted(one), expected) << name_of(protocol) << " " << round << " of " << of;
      }
    }
  }
}

TEST(RollCall, RoundsMayBeAskedForInAnyOrder) {
  for (const Protocol protocol : kAll) {
    const Plan plan = plan_of(protocol);
    const auto ascending = make_roll_call(plan, key());
    std::vector<Senders> expected;
    std::vector<std::uint64_t> rounds;
    for (std::uint64_t round = 1; round <= plan.updates(); round += ascending->rounds_a_step()) {
      rounds.push_back(round);
      expected.push_back(step(*ascending, round));
    }
    const auto other = make_roll_call(plan, key());
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      const std::size_t j = (i * 7 + 3) % rounds.size();
      EXPECT_EQ(step(*other, rounds[j]), expected[j]) << name_of(protocol) << " " << rounds[j];
      EXPECT_EQ(step(*make_roll_call(plan, key()), rounds[i]), expected[i]) << name_of(protocol);
    }
  }
}

TEST(RollCall, ADummyIsNoClientAndNobodySendsTwiceInARound) {
  for (const Protocol protocol : kAll) {
    const Plan plan = plan_of(protocol, {{"participation.rate", "0.1"}});
    const auto roll_call = make_roll_call(plan, key());
    for (std::uint64_t round = 1; round <= plan.updates(); round += roll_call->rounds_a_step()) {
      std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
      for (const Sender& sender : step(*roll_call, round)) {
        EXPECT_EQ(sender.dummy, sender.client >= plan.clients()) << name_of(protocol);
        EXPECT_GE(sender.round, round);
        EXPECT_LT(sender.round, round + roll_call->rounds_a_step());
        EXPECT_TRUE(seen.emplace(sender.round, sender.client).second) << name_of(protocol);
      }
    }
  }
}

TEST(RollCall, AnInterruptedRollCallThrowsAndCanBeAskedAgain) {
  for (const Protocol protocol : kAll) {
    const Plan plan = plan_of(protocol);
    std::atomic<bool> flag{true};
    const auto roll_call = make_roll_call(plan, key());
    roll_call->stop_when(Interrupt(&flag));
    Senders senders;
    SCOPED_TRACE(name_of(protocol));
    EXPECT_ERROR(ErrorCode::interrupted, roll_call->append_senders(1, {}, senders)) << name_of(protocol);
    flag = false;
    EXPECT_EQ(step(*roll_call, 1), step(*make_roll_call(plan, key()), 1)) << name_of(protocol);
  }
}

// Over many rounds, the number of messages fits the rate that is charged.
TEST(RollCall, ClientsSendAtTheRateThatIsCharged) {
  for (const Protocol protocol : {Protocol::shuffle, Protocol::subset, Protocol::shuffled_check_in,
                                  Protocol::random_check_in_averaged, Protocol::aggregated_check_in}) {
    const Plan plan = plan_of(protocol, {{"rounds.count", "600"}});
    const auto roll_call = make_roll_call(plan, key());
    std::uint64_t messages = 0;
    for (std::uint64_t round = 1; round <= plan.updates(); ++round) {
      messages += step(*roll_call, round).size();
    }
    const double rate = accounting::message_rate(plan.participation()).value();
    const std::uint64_t coins = plan.clients() * plan.rounds();
    if (protocol == Protocol::subset || protocol == Protocol::shuffle) {
      // The charged rate is the share of the messages, rounded up. The products are rounded to 64 bits, which
      // is far finer than the distance between neighbouring rates.
      const auto sent = static_cast<long double>(messages), all = static_cast<long double>(coins);
      EXPECT_GE(static_cast<long double>(rate) * all, sent) << name_of(protocol);
      EXPECT_LT(static_cast<long double>(std::nextafter(rate, 0.0)) * all, sent) << name_of(protocol);
      continue;
    }
    const auto verdict = testing::binomial_test(messages, coins, rate, kAlpha);
    EXPECT_TRUE(verdict.pass) << name_of(protocol) << ": " << verdict.summary;
    // The test rejects the rate of the same protocol without its dropout.
    const Plan full = plan.with("participation.dropout", "0");
    EXPECT_FALSE(testing::binomial_test(messages, coins,
                                        accounting::message_rate(full.participation()).value(), kAlpha)
                     .pass);
  }
}

TEST(RollCall, TheMinimumIsTheOneThatIsCharged) {
  for (const Protocol protocol : kAll) {
    const Plan plan = plan_of(protocol);
    const accounting::Participation charged = plan.participation();
    const auto* aggregated = std::get_if<accounting::AggregatedCheckIn>(&charged);
    EXPECT_EQ(make_roll_call(plan, key())->minimum(), aggregated != nullptr ? aggregated->minimum() : 1);
  }
}

// If the dropout changes with the rounds, every round has the rate that is charged for its stage.
TEST(RollCall, EveryRoundHasTheDropoutOfItsStage) {
  for (const Protocol protocol : {Protocol::shuffled_check_in, Protocol::random_check_in_averaged}) {
    const Plan plan =
        plan_of(protocol, {{"population.clients", "50000"},
                           {"participation.dropout", "[[1, 0.1], [2, 0.5], [4, 0.0], [99, 0.9]]"},
                           {"rounds.count", "5"}});
    const auto roll_call = make_roll_call(plan, key());
    const std::vector<accounting::Stage> stages = plan.stages();
    ASSERT_EQ(stages.size(), 3);
    EXPECT_EQ(stages[0].rounds, 1);
    EXPECT_EQ(stages[1].rounds, 2);
    EXPECT_EQ(stages[2].rounds, 2);
    std::uint64_t round = 0;
    for (const accounting::Stage& stage : stages) {
      const double rate = accounting::message_rate(stage.participation).value();
      for (std::uint64_t i = 0; i < stage.rounds; ++i) {
        std::uint64_t messages = 0;
        for (std::uint64_t slot = 0; slot < plan.updates_per_round(); ++slot) {
          messages += step(*roll_call, ++round).size();
        }
        const auto verdict = testing::binomial_test(messages, plan.clients(), rate, kAlpha);
        EXPECT_TRUE(verdict.pass) << name_of(protocol) << " " << round << ": " << verdict.summary;
      }
    }
    EXPECT_EQ(round, plan.updates());
  }
}

}  // namespace
}  // namespace muster::protocols
