// Tests values of a plan that are given as flags. Their keys and ranges are those of the plan file. In a
// flag, but not in the file, an integer may also be written in a form such as 1e8.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/plan/plan.h"
#include "muster/plan/source.h"

namespace muster::protocols {
namespace {

using Overrides = std::vector<std::pair<std::string, std::string>>;

Plan plan_of(const Overrides& overrides) {
  PlanSource source;
  for (const auto& [key, text] : Overrides{{"population.clients", "600"},
                                           {"population.data", "digits"},
                                           {"participation.protocol", "shuffled-check-in"},
                                           {"participation.rate", "0.1"},
                                           {"randomizer.kind", "ldp-sgd"},
                                           {"randomizer.epsilon0", "2"},
                                           {"randomizer.clip", "0.1"},
                                           {"rounds.count", "10"},
                                           {"rounds.learning_rate", "1"},
                                           {"model.kind", "cnn"},
                                           {"privacy.delta", "1e-5"}}) {
    source.override_key(key, text);
  }
  for (const auto& [key, text] : overrides) {
    source.override_key(key, text);
  }
  return Plan::validate(source, Command::train);
}

TEST(PlanFlagText, IntegersMayBeWrittenAsPowers) {
  EXPECT_EQ(plan_of({{"population.clients", "1e8"}}).clients(), 100000000u);
  EXPECT_EQ(plan_of({{"population.clients", "1e12"}}).clients(), 1000000000000u);
  EXPECT_EQ(plan_of({{"population.clients", "2.5e3"}}).clients(), 2500u);
  EXPECT_EQ(plan_of({{"rounds.count", "0"}}).rounds(), 0u);
}

TEST(PlanFlagText, IntegersAreReadExactlyHoweverTheyAreWritten) {
  for (const char* text : {"1e18", "1000000000000000000", "1E+18", "100e16", "0.1e19", "1.00e18"}) {
    EXPECT_EQ(plan_of({{"seed", text}}).seed(), 1'000'000'000'000'000'000u) << text;
  }
  // A double would round these integers.
  EXPECT_EQ(plan_of({{"seed", "9007199254740993"}}).seed(), 9'007'199'254'740'993u);
  EXPECT_EQ(plan_of({{"seed", "1844674407370955161.5e1"}}).seed(), 18'446'744'073'709'551'615u);
  EXPECT_EQ(plan_of({{"seed", "-0"}}).seed(), 0u);
  const auto refusal = [](const char* key, const char* text) -> std::string {
    try {
      plan_of({{key, text}});
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal("rounds.log_every", "1.5"),
            "rounds.log_every = 1.5 (--log-every) is not an integer; allowed: integer >= 1");
  EXPECT_EQ(refusal("rounds.log_every", "4503599627370496.3"),
            "rounds.log_every = 4503599627370496.3 (--log-every) is not an integer; allowed: integer >= 1");
  EXPECT_EQ(refusal("rounds.log_every", "-1"),
            "rounds.log_every = -1 (--log-every) is out of range; allowed: integer >= 1");
  for (const char* text : {"1e19", "9223372036854775808", "1e300"}) {
    EXPECT_EQ(refusal("rounds.log_every", text),
              std::string("rounds.log_every = ") + text +
                  " (--log-every) is out of range: the integers of a plan end at 9223372036854775807; "
                  "allowed: integer >= 1");
  }
  EXPECT_EQ(refusal("seed", "18446744073709551616"),
            "seed = 18446744073709551616 (--seed) is out of range; allowed: integer "
            "0..18446744073709551615");
}

TEST(PlanFlagText, ARefusedNumberIsToldWhatItIs) {
  for (const auto& [text, what] : Overrides{{"nan", "is not a finite number"},
                                            {"-inf", "is not a finite number"},
                                            {"1e400", "is outside the range of a double"},
                                            {"1e-400", "is outside the range of a double"},
                                            {"+.1", "is not a number"},
                                            {"0.1x", "is not a number"},
                                            {"2", "is out of range"}}) {
    SCOPED_TRACE(text);
    const Error error = error_of([&, rate = text] { plan_of({{"participation.rate", rate}}); });
    EXPECT_THAT(error.what(), testing::HasSubstr("(--rate) " + what + "; allowed:"));
  }
}

TEST(PlanFlagText, SchedulesAreWrittenAsInTheFile) {
  const LearningRate rate = *plan_of({{"rounds.learning_rate", "[[1, 1.0], [5, 0.5]]"}}).learning_rate();
  EXPECT_EQ(rate.at(4), 1.0);
  EXPECT_EQ(rate.at(5), 0.5);
  EXPECT_EQ(plan_of({{"rounds.learning_rate", "inverse-sqrt:2"}}).learning_rate()->at(4), 1.0);
}

TEST(PlanFlagText, EveryNonsenseIsRefusedWithItsFlag) {
  const std::vector<std::string> nonsense = {
      "",   " ",  "nan", "NaN", "inf", "-inf",  "1e400", "1e-400", "abc", "0x10",  "1,000", "1_0",
      " 1", "1 ", "--",  "1e",  "+1",  "0.1:1", "true",  "\n1",    "-1",  "1.0.0", "[",     "[[1, 1e400]]"};
  for (const char* key : {"population.clients", "participation.rate", "participation.dropout",
                          "randomizer.epsilon0", "randomizer.clip", "rounds.count", "rounds.learning_rate",
                          "rounds.momentum", "rounds.log_every", "privacy.delta", "privacy.budget", "seed"}) {
    for (const std::string& text : nonsense) {
      if (text == "0.1:1" && std::string(key) == "participation.rate") {
        continue;  // this text is a valid range of rates
      }
      SCOPED_TRACE(::testing::Message() << key << ' ' << text);
      const Error error = error_of([&] { plan_of({{key, text}}); });
      EXPECT_EQ(error.code(), ErrorCode::plan);
      EXPECT_EQ(error.key(), key);
      EXPECT_EQ(error.value(), text == "\n1" ? "\\x0a1" : text);
      EXPECT_NE(error.allowed(), "");
      EXPECT_THAT(error.what(), testing::HasSubstr("--")) << "the flag is named";
    }
  }
}

// Returns a plan for accounting whose rate is given as text.
Plan accounted(const std::string& rate) {
  PlanSource source;
  for (const auto& [key, text] : Overrides{{"population.clients", "600"},
                                           {"participation.protocol", "shuffled-check-in"},
                                           {"participation.rate", rate},
                                           {"randomizer.kind", "ldp-sgd"},
                                           {"randomizer.epsilon0", "2"},
                                           {"rounds.count", "10"},
                                           {"privacy.delta", "1e-5"}}) {
    source.override_key(key, text);
  }
  return Plan::validate(source, Command::account);
}

TEST(PlanFlagText, ADropoutThatChangesIsCanonicalAndStaged) {
  const Plan plan =
      plan_of({{"participation.dropout", "[[1, 0.1], [2, 0.1], [3, 0.2]]"}, {"rounds.count", "10"}});
  EXPECT_EQ(plan.dropout().at(2), 0.1);
  EXPECT_EQ(plan.dropout().at(3), 0.2);
  EXPECT_NE(plan.canonical().find("participation.dropout = [[1, 0.1], [2, 0.1], [3, 0.2]]\n"),
            std::string::npos);
  ASSERT_EQ(plan.stages().size(), 2);
  EXPECT_EQ(plan.stages()[0].rounds, 2);
  EXPECT_EQ(plan.stages()[1].rounds, 8);
  // Steps beyond the last round have no effect.
  const Plan shorter = plan_of({{"participation.dropout", "[[1, 0.1], [11, 0.2]]"}, {"rounds.count", "10"}});
  ASSERT_EQ(shorter.stages().size(), 1);
  EXPECT_EQ(shorter.stages()[0].rounds, 10);
  EXPECT_EQ(shorter.stages()[0].participation, shorter.participation());
  EXPECT_EQ(plan_of({{"participation.dropout", "[[1, 0.1]]"}}).canonical(),
            plan_of({{"participation.dropout", "0.1"}}).canonical());
}

TEST(PlanFlagText, ARangeOfRates) {
  EXPECT_EQ(accounted("0.1:0.2").rate(), 0.2);
  EXPECT_EQ(accounted("0.1:0.2").min_rate(), 0.1);
  EXPECT_EQ(accounted("0.2:0.2").min_rate(), std::nullopt);
  EXPECT_EQ(accounted("1e-9:1").min_rate(), 1e-9);
  for (const char* text : {"0.2:0.1", "0:0.1", "0.1:", ":0.1", ":", "0.1:0.2:0.3", "0.1:1.1", "nan:0.1",
                           "0.1:inf", "-0.1:0.1", "1e-400:0.5", "a:b", "0.1 :0.2"}) {
    SCOPED_TRACE(text);
    const Error error = error_of([&] { accounted(text); });
    EXPECT_EQ(error.key(), "participation.rate");
    EXPECT_EQ(error.value(), text);
    EXPECT_THAT(error.what(), testing::HasSubstr("--rate"));
  }
}

}  // namespace
}  // namespace muster::protocols
