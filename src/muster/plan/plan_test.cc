// Checks what validation makes of plans and flags: values and defaults, the description that is charged,
// errors for what is missing or does not apply, and plans made from other plans.
#include "muster/plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/plan/source.h"

namespace muster::protocols {
namespace {

constexpr const char* kPlan = R"(name = "tiny"
[population]
clients = 60000
data = "digits"
[participation]
protocol = "shuffled-check-in"
rate = 0.1
[randomizer]
kind = "ldp-sgd"
epsilon0 = 2.0
clip = 0.1
[rounds]
count = 6800
learning_rate = [[1, 1.0], [3400, 0.6], [5440, 0.3]]
[model]
kind = "cnn"
[privacy]
delta = 1e-5
)";

using Overrides = std::vector<std::pair<std::string, std::string>>;

Plan plan_of(const std::string& text, Command command = Command::train, const Overrides& overrides = {}) {
  PlanSource source = PlanSource::from_text(text, "tiny.toml");
  for (const auto& [key, value] : overrides) {
    source.override_key(key, value);
  }
  return Plan::validate(source, command);
}

Plan flags_alone(const Overrides& overrides, Command command = Command::account) {
  return plan_of("", command, overrides);
}

TEST(Plan, ReadsEveryKeyAndFillsDefaults) {
  const Plan plan = plan_of(kPlan);
  EXPECT_EQ(plan.name(), "tiny");
  EXPECT_EQ(plan.seed(), 1u);
  EXPECT_EQ(plan.clients(), 60000u);
  EXPECT_EQ(plan.data(), "digits");
  EXPECT_EQ(plan.rate(), 0.1);
  EXPECT_EQ(plan.dropout().at(1), 0);
  EXPECT_EQ(plan.randomizer(), RandomizerKind::ldp_sgd);
  EXPECT_EQ(plan.epsilon0(), 2.0);
  EXPECT_EQ(plan.clip(), 0.1);
  EXPECT_EQ(plan.sigma(), std::nullopt);
  EXPECT_EQ(plan.rounds(), 6800u);
  EXPECT_EQ(plan.learning_rate()->at(3399), 1.0);
  EXPECT_EQ(plan.learning_rate()->at(3400), 0.6);
  EXPECT_EQ(plan.log_every(), 68u);
  EXPECT_EQ(plan.checkpoint_every(), 340u);
  EXPECT_EQ(plan.model(), ModelKind::cnn);
  EXPECT_EQ(plan.delta(), 1e-5);
  EXPECT_EQ(plan.budget(), std::nullopt);
}

TEST(Plan, ShortRunsLogAndSaveEveryRound) {
  const Plan plan = plan_of(kPlan, Command::train, {{"rounds.count", "7"}});
  EXPECT_EQ(plan.log_every(), 1u);
  EXPECT_EQ(plan.checkpoint_every(), 1u);
}

TEST(Plan, DescribesExactlyWhatRuns) {
  const Plan plan = plan_of(kPlan, Command::train, {{"participation.dropout", "0.25"}});
  const auto participation = std::get<accounting::ShuffledCheckIn>(plan.participation());
  EXPECT_EQ(participation.rate().value(), 0.1 * 0.75);
  EXPECT_EQ(participation.clients().value(), 60000u);
  EXPECT_FALSE(participation.min_rate());
  EXPECT_EQ(std::get<accounting::LdpSgdLocal>(plan.mechanism()).epsilon0(), 2.0);
}

TEST(Plan, FlagsAloneMakeAPlanForAccounting) {
  const Plan plan = flags_alone({{"population.clients", "1e8"},
                                 {"participation.protocol", "shuffled-check-in"},
                                 {"participation.rate", "1"},
                                 {"randomizer.kind", "gaussian"},
                                 {"randomizer.sigma", "5"},
                                 {"rounds.count", "0"}});
  EXPECT_EQ(plan.clients(), 100000000u);
  EXPECT_EQ(std::get<accounting::GaussianLocal>(plan.mechanism()).sigma(), 5);
  EXPECT_EQ(plan.delta(), std::nullopt);  // not required, because account may compute delta instead
  EXPECT_EQ(plan.clip(), std::nullopt);
}

TEST(Plan, PureIsForAccountingAlone) {
  const std::string text = R"(population.clients = 10
participation = {protocol = "shuffled-check-in", rate = 0.5}
randomizer = {kind = "pure", epsilon0 = 2}
rounds.count = 1)";
  EXPECT_TRUE(std::holds_alternative<accounting::PureLocal>(plan_of(text, Command::account).mechanism()));
  const Error error = error_of([&] { plan_of(text, Command::train); });
  EXPECT_EQ(error.key(), "randomizer.kind");
  EXPECT_EQ(error.value(), "pure");
  EXPECT_EQ(error.allowed().find("pure"), std::string::npos);
}

TEST(Plan, TrainingNamesEachKeyItMisses) {
  for (const auto& [key, line] : std::vector<std::pair<std::string, std::string>>{
           {"population.data", "data = \"digits\"\n"},
           {"population.clients", "clients = 60000\n"},
           {"participation.protocol", "protocol = \"shuffled-check-in\"\n"},
           {"participation.rate", "rate = 0.1\n"},
           {"randomizer.kind", "kind = \"ldp-sgd\"\n"},
           {"randomizer.epsilon0", "epsilon0 = 2.0\n"},
           {"randomizer.clip", "clip = 0.1\n"},
           {"rounds.count", "count = 6800\n"},
           {"rounds.learning_rate", "learning_rate = [[1, 1.0], [3400, 0.6], [5440, 0.3]]\n"},
           {"model.kind", "kind = \"cnn\"\n"},
           {"privacy.delta", "delta = 1e-5\n"}}) {
    std::string text = kPlan;
    text.erase(text.find(line), line.size());
    const Error error = error_of([&] { plan_of(text); });
    EXPECT_EQ(error.code(), ErrorCode::plan);
    EXPECT_EQ(error.key(), key);
    EXPECT_NE(error.allowed(), "");
    EXPECT_THAT(error.what(), testing::HasSubstr("is missing: "));
  }
}

TEST(Plan, AFlagForAnotherCommandIsRefusedButAPlanMaySayMore) {
  EXPECT_NO_THROW(plan_of(kPlan, Command::account));
  const Error error = error_of([] { plan_of(kPlan, Command::account, {{"rounds.momentum", "0.5"}}); });
  EXPECT_EQ(error.key(), "rounds.momentum");
  EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("does not apply to account"),
                                           testing::HasSubstr("--momentum")));
}

// Expects that with() refuses a text for a key with the same error as Plan::validate does if an override
// states this text.
void expect_same_refusal(const Plan& plan, const std::string& key, const std::string& text) {
  const Error expected = error_of([&] { plan_of(kPlan, Command::train, {{key, text}}); });
  const Error found = error_of([&] { static_cast<void>(plan.with(key, text)); });
  EXPECT_EQ(found.code(), expected.code()) << key;
  EXPECT_STREQ(found.what(), expected.what());
}

TEST(Plan, WithOverridesOneKeyOfANewPlan) {
  const Plan plan = plan_of(kPlan);
  const std::string before = plan.canonical();
  const Plan longer = plan.with("rounds.count", "200");
  EXPECT_EQ(longer.rounds(), 200);
  EXPECT_EQ(plan.rounds(), 6800);
  EXPECT_EQ(plan.canonical(), before);
  const Plan from_the_start = plan_of(kPlan, Command::train, {{"rounds.count", "200"}});
  EXPECT_EQ(longer.canonical(), from_the_start.canonical());
  EXPECT_EQ(longer.hash(), from_the_start.hash());
  EXPECT_NE(longer.hash(), plan.hash());
  // The default of log_every depends on the new number of rounds, and a second override keeps the first one.
  EXPECT_EQ(plan.log_every(), 68);
  EXPECT_EQ(longer.log_every(), 2);
  EXPECT_EQ(longer.with("rounds.momentum", "0.5").rounds(), 200);
}

TEST(Plan, WithTheSameTextIsTheSamePlan) {
  const Plan plan = plan_of(kPlan);
  for (const auto& [key, text] :
       Overrides{{"rounds.count", "6800"},
                 {"participation.rate", "0.1"},
                 {"model.kind", "cnn"},
                 {"rounds.learning_rate", "[[1, 1.0], [3400, 0.6], [5440, 0.3]]"}}) {
    EXPECT_EQ(plan.with(key, text).hash(), plan.hash()) << key;
  }
}

TEST(Plan, WithTakesSchedules) {
  const Plan plan = plan_of(kPlan).with("participation.dropout", "[[1, 0.1], [100, 0.25]]");
  EXPECT_EQ(plan.dropout().at(99), 0.1);
  EXPECT_EQ(plan.dropout().at(100), 0.25);
  EXPECT_EQ(plan.stages().size(), 2);
  EXPECT_EQ(plan.with("rounds.learning_rate", "inverse-sqrt:0.5").learning_rate()->at(4), 0.25);
}

TEST(Plan, WithValidatesTheWholePlanAnew) {
  const Plan plan = plan_of(kPlan);
  expect_same_refusal(plan, "participation.rate", "1.5");
  expect_same_refusal(plan, "rounds.learning_rate", "[[2, 1.0]]");
  expect_same_refusal(plan, "participation.slots", "10");         // does not apply to the protocol
  expect_same_refusal(plan, "participation.protocol", "subset");  // needs participation.subset
  expect_same_refusal(plan, "randomizer.kind", "gaussian");       // needs sigma
  expect_same_refusal(plan, "rounds.count", "1e13");              // more updates than can be numbered
  expect_same_refusal(plan, "rounds.cuont", "1");
  expect_same_refusal(plan, "name", "other");  // has no flag
}

TEST(Plan, AnOverrideOfTheProtocolLeavesOutWhatTheFileStatesForAnother) {
  const std::string coins =
      "participation.rate = 0.1 (tiny.toml, line 7, column 8) does not apply to protocol ";
  const Plan shuffled = plan_of(kPlan, Command::train, {{"participation.protocol", "shuffle"}});
  EXPECT_THAT(shuffled.left_out(),
              testing::ElementsAre(coins + "shuffle with randomizer ldp-sgd, and is left out"));
  EXPECT_EQ(shuffled.canonical().find("participation.rate"), std::string::npos);
  const Plan back = shuffled.with("participation.protocol", "shuffled-check-in");
  EXPECT_THAT(back.left_out(), testing::IsEmpty());
  EXPECT_EQ(back.hash(), plan_of(kPlan).hash());
}

TEST(Plan, AnOverrideOfTheRandomizerLeavesOutWhatTheFileStatesForAnother) {
  const Overrides gaussian = {{"randomizer.kind", "gaussian"}, {"randomizer.sigma", "3"}};
  const Plan plan = plan_of(kPlan, Command::account, gaussian);
  ASSERT_EQ(plan.left_out().size(), 1);
  EXPECT_THAT(plan.left_out().front(), testing::StartsWith("randomizer.epsilon0 = 2"));
  EXPECT_EQ(plan.sigma(), 3);
  EXPECT_EQ(plan.epsilon0(), std::nullopt);
}

TEST(Plan, WhatDoesNotApplyIsRefusedUnlessTheFileStatedItForAnother) {
  const auto refused = [](const std::string& text, const Overrides& overrides) {
    return error_of([&] { plan_of(text, Command::account, overrides); }).key();
  };
  // A key given by a flag is refused, even beside a flag that changes the protocol.
  EXPECT_EQ(refused(kPlan, {{"participation.protocol", "shuffle"}, {"participation.rate", "0.2"}}),
            "participation.rate");
  // A wrong key of the file is refused, even beside a flag that repeats the file's protocol.
  std::string wrong = kPlan;
  wrong.replace(wrong.find("rate = 0.1"), 10, "rate = 0.1\nsubset = 5");
  EXPECT_EQ(refused(wrong, {}), "participation.subset");
  EXPECT_EQ(refused(wrong, {{"participation.protocol", "shuffled-check-in"}}), "participation.subset");
  // A key that no plan has is refused.
  EXPECT_EQ(refused(std::string("sede = 1\n") + kPlan, {{"participation.protocol", "shuffle"}}), "sede");
}

TEST(Plan, WithStatesAKeyThatWasToBeSolvedFor) {
  PlanSource source = PlanSource::from_text(kPlan, "tiny.toml");
  const Plan plan = Plan::validate(source, Command::calibrate, {"randomizer.epsilon0", "participation.rate"});
  EXPECT_EQ(plan.epsilon0(), std::nullopt);
  const Plan stated = plan.with("participation.rate", "0.25");
  EXPECT_EQ(stated.rate(), 0.25);
  EXPECT_EQ(stated.epsilon0(), std::nullopt);
  EXPECT_EQ(stated.with("randomizer.epsilon0", "3").epsilon0(), 3);
}

TEST(Plan, BareFolderMeansIdx) {
  EXPECT_EQ(plan_of(kPlan, Command::train, {{"population.data", "../data/mnist"}}).data(),
            "idx:../data/mnist");
  EXPECT_EQ(plan_of(kPlan, Command::train, {{"population.data", "idx:../data/mnist"}}).data(),
            "idx:../data/mnist");
  EXPECT_EQ(plan_of(kPlan, Command::train, {{"population.data", "./a:b"}}).data(), "idx:./a:b");
}

TEST(Plan, SeedsTakeAll64Bits) {
  const std::string max = "18446744073709551615";
  EXPECT_EQ(plan_of(kPlan, Command::train, {{"seed", max}}).seed(), 18446744073709551615u);
  EXPECT_EQ(plan_of("seed = \"" + max + "\"\n" + kPlan).seed(), 18446744073709551615u);
  EXPECT_EQ(error_of([&] { plan_of(kPlan, Command::train, {{"seed", max + "0"}}); }).key(), "seed");
}

}  // namespace
}  // namespace muster::protocols
