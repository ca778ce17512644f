// Tests, for every protocol and every randomizer that can be accounted, which keys are needed, which are
// refused, and which description is charged.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/plan/keys.h"
#include "muster/plan/plan.h"
#include "muster/plan/source.h"

namespace muster::protocols {
namespace {

using Keys = std::map<std::string, std::string>;

const Keys kCommon = {{"population.clients", "600"}, {"rounds.count", "10"}, {"privacy.delta", "1e-5"}};

const std::map<std::string, Keys> kProtocols = {
    {"shuffle", {}},
    {"subset", {{"participation.subset", "60"}}},
    {"shuffled-check-in", {{"participation.rate", "0.1"}}},
    {"random-check-in-fixed", {{"participation.rate", "0.1"}, {"participation.slots", "7"}}},
    {"random-check-in-averaged", {{"participation.rate", "0.1"}, {"participation.slots", "7"}}},
    {"random-check-in-sliding", {{"participation.rate", "0.1"}, {"participation.slots", "7"}}},
    {"aggregated-check-in", {{"participation.rate", "0.1"}}}};

const std::map<std::string, Keys> kRandomizers = {
    {"pure", {{"randomizer.epsilon0", "2"}}},
    {"ldp-sgd", {{"randomizer.epsilon0", "2"}}},
    {"gaussian", {{"randomizer.sigma", "5"}}},
    {"l1", {{"randomizer.epsilon0", "2"}}},
    {"l2", {{"randomizer.epsilon0", "2"}}},
    {"linf", {{"randomizer.epsilon0", "2"}}},
    {"k-rr", {{"randomizer.epsilon0", "2"}, {"randomizer.k", "4"}}},
    {"laplace", {{"randomizer.epsilon0", "2"}}},
    {"profile", {{"randomizer.profile", "plans/profiles/three-letters.csv"}}}};

Keys keys_of(const std::string& protocol, const std::string& randomizer) {
  Keys keys = kCommon;
  keys["participation.protocol"] = protocol;
  keys["randomizer.kind"] = randomizer;
  keys.insert(kProtocols.at(protocol).begin(), kProtocols.at(protocol).end());
  keys.insert(kRandomizers.at(randomizer).begin(), kRandomizers.at(randomizer).end());
  return keys;
}

Plan plan_of(const Keys& keys, Command command = Command::account,
             const std::vector<std::string_view>& solved_for = {}) {
  PlanSource source;
  for (const auto& [key, text] : keys) {
    source.override_key(key, text);
  }
  return Plan::validate(source, command, solved_for);
}

TEST(PlanDescriptions, EveryProtocolWithEveryRandomizer) {
  for (const auto& [protocol, unused] : kProtocols) {
    for (const auto& [randomizer, also_unused] : kRandomizers) {
      for (const Command command : {Command::account, Command::calibrate}) {
        const Plan plan = plan_of(keys_of(protocol, randomizer), command);
        EXPECT_STREQ(name_of(plan.protocol()), protocol.c_str());
        EXPECT_STREQ(name_of(plan.randomizer()), randomizer.c_str());
        EXPECT_STREQ(accounting::name_of(plan.participation()), protocol.c_str());
        EXPECT_EQ(accounting::clients_of(plan.participation()).value(), 600u);
        EXPECT_NO_THROW(plan.mechanism());
        EXPECT_EQ(plan.hash().size(), 64u);
      }
    }
  }
}

TEST(PlanDescriptions, EachKeyThatIsNeededIsAskedFor) {
  for (const auto& [protocol, unused] : kProtocols) {
    for (const auto& [randomizer, also_unused] : kRandomizers) {
      for (const auto& [key, text] : keys_of(protocol, randomizer)) {
        Keys fewer = keys_of(protocol, randomizer);
        fewer.erase(key);
        if (key == "privacy.delta") {
          EXPECT_EQ(plan_of(fewer).delta(), std::nullopt);
          continue;
        }
        const Error error = error_of([&] { plan_of(fewer); });
        EXPECT_EQ(error.key(), key) << protocol << " " << randomizer;
        EXPECT_THAT(error.what(), testing::HasSubstr("is missing: "));
        // Keys that calibration solves for are not required.
        if (key != "participation.protocol" && key != "randomizer.kind") {
          EXPECT_NO_THROW(plan_of(fewer, Command::calibrate, {key})) << key;
        }
      }
    }
  }
}

TEST(PlanDescriptions, EachKeyThatDoesNotApplyIsRefused) {
  for (const auto& [protocol, unused] : kProtocols) {
    for (const auto& [randomizer, also_unused] : kRandomizers) {
      for (const auto& [key, text] : Keys{{"participation.rate", "0.5"},
                                          {"participation.dropout", "0.5"},
                                          {"participation.subset", "5"},
                                          {"participation.slots", "5"},
                                          {"participation.minimum", "5"},
                                          {"randomizer.epsilon0", "1"},
                                          {"randomizer.sigma", "1"},
                                          {"randomizer.clip", "1"},
                                          {"randomizer.k", "3"}}) {
        Keys more = keys_of(protocol, randomizer);
        more[key] = text;
        if (spec_of(key).applies_to(protocol, randomizer)) {
          EXPECT_NO_THROW(plan_of(more)) << key << " " << protocol << " " << randomizer;
          continue;
        }
        const Error error = error_of([&] { plan_of(more); });
        EXPECT_EQ(error.key(), key);
        EXPECT_THAT(error.what(), testing::HasSubstr("does not apply to protocol " + protocol));
      }
    }
  }
}

// Texts that are not integers in range are refused before the accountant sees them.
TEST(PlanDescriptions, NonsenseOfEachNewKeyIsRefused) {
  const Keys holders = {{"participation.subset", "subset"},
                        {"participation.slots", "random-check-in-fixed"},
                        {"participation.minimum", "aggregated-check-in"},
                        {"randomizer.k", "shuffle"}};
  for (const auto& [key, protocol] : holders) {
    for (const char* text : {"0", "-1", "1.5", "nan", "inf", "-inf", "", "many", "1e400",
                             "9223372036854775808", "1e300", "0x10"}) {
      Keys keys = keys_of(protocol, "k-rr");
      keys[key] = text;
      const Error error = error_of([&] { plan_of(keys); });
      EXPECT_EQ(error.key(), key) << text;
      EXPECT_EQ(error.value(), text);
      EXPECT_NE(error.allowed(), "");
    }
  }
  Keys one_answer = keys_of("shuffle", "k-rr");
  one_answer["randomizer.k"] = "1";
  EXPECT_EQ(error_of([&] { plan_of(one_answer); }).key(), "randomizer.k");
}

TEST(PlanDescriptions, SubsetAndMinimumEndAtTheClients) {
  for (const auto& [key, protocol] :
       Keys{{"participation.subset", "subset"}, {"participation.minimum", "aggregated-check-in"}}) {
    Keys keys = keys_of(protocol, "gaussian");
    keys[key] = "600";
    EXPECT_NO_THROW(plan_of(keys));
    keys[key] = "601";
    const Error error = error_of([&] { plan_of(keys); });
    EXPECT_EQ(error.key(), key);
    EXPECT_EQ(error.allowed(), "integer 1..600");
    keys.erase("population.clients");
    EXPECT_NO_THROW(plan_of(keys, Command::calibrate, {"population.clients"}));
  }
}

TEST(PlanDescriptions, DropoutMultipliesEveryRate) {
  for (const auto& [protocol, own] : kProtocols) {
    if (!own.contains("participation.rate")) {
      continue;
    }
    Keys keys = keys_of(protocol, "pure");
    keys["participation.dropout"] = "0.25";
    EXPECT_EQ(accounting::message_rate(plan_of(keys).participation()).value(), 0.1 * 0.75);
  }
  Keys range = keys_of("shuffled-check-in", "pure");
  range["participation.dropout"] = "0.5";
  range["participation.rate"] = "0.1:0.2";
  const auto participation = std::get<accounting::ShuffledCheckIn>(plan_of(range).participation());
  EXPECT_EQ(participation.rate().value(), 0.1);
  // The simulated dropout coin may round the probability of a report down, so the lowest rate charged is a
  // little below the product.
  EXPECT_LE(participation.min_rate()->value(), 0.05);
  EXPECT_GE(participation.min_rate()->value(), 0.05 * (1 - 1e-14));
}

TEST(PlanDescriptions, WhatCalibrationSolvesForMayNotBeAFlag) {
  const Error error = error_of(
      [] { plan_of(keys_of("shuffled-check-in", "pure"), Command::calibrate, {"participation.rate"}); });
  EXPECT_EQ(error.key(), "participation.rate");
  EXPECT_THAT(error.what(), testing::HasSubstr("(--rate) is what calibrate is asked for"));
}

// Two plans that are charged differently have different hashes.
TEST(PlanDescriptions, HashesDiffer) {
  std::map<std::string, std::string> seen;
  for (const auto& [protocol, unused] : kProtocols) {
    for (const auto& [randomizer, also_unused] : kRandomizers) {
      const std::string name = fmt::format("{} {}", protocol, randomizer);
      EXPECT_TRUE(seen.emplace(plan_of(keys_of(protocol, randomizer)).hash(), name).second) << name;
    }
  }
  for (const auto& [key, text, protocol] :
       std::vector<std::array<std::string, 3>>{{"participation.subset", "61", "subset"},
                                               {"participation.slots", "8", "random-check-in-fixed"},
                                               {"participation.minimum", "2", "aggregated-check-in"},
                                               {"randomizer.k", "5", "shuffle"},
                                               {"participation.rate", "0.09:0.1", "shuffled-check-in"}}) {
    Keys keys = keys_of(protocol, "k-rr");
    keys[key] = text;
    EXPECT_TRUE(seen.emplace(plan_of(keys).hash(), key).second) << key;
  }
}

}  // namespace
}  // namespace muster::protocols
