// A plan that code states key by key must be the plan that the same flags state, and must be refused in the
// same words.
#include "muster/plan/calibration/open_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/plan/keys.h"

namespace muster::protocols {
namespace {

using testing::HasSubstr;

RawValue text(const std::string& value) { return {.value = value, .text = value, .origin = {}}; }

// Returns a plan as code states it, without the keys in `left_out`.
PlanSource stated(const std::vector<std::string_view>& left_out = {}) {
  PlanSource source;
  source.name_arguments();
  for (const auto& [key, value] : {std::pair("participation.protocol", "shuffled-check-in"),
                                   {"population.clients", "60000"},
                                   {"participation.rate", "0.1"},
                                   {"randomizer.kind", "ldp-sgd"},
                                   {"randomizer.epsilon0", "2"},
                                   {"rounds.count", "6800"},
                                   {"privacy.delta", "1e-5"}}) {
    if (std::ranges::find(left_out, key) == left_out.end()) source.state(key, text(value), false);
  }
  return source;
}

TEST(OpenPlan, IsThePlanThatFlagsState) {
  PlanSource flags;
  const PlanSource code = stated();
  for (const auto& [key, raw] : code.entries()) flags.override_key(key, raw.text);
  const OpenPlan open(stated());
  EXPECT_TRUE(open.complete());
  EXPECT_EQ(open.whole().hash(), Plan::validate(flags, Command::account).hash());
}

TEST(OpenPlan, MayLackWhatCalibrationFinds) {
  const OpenPlan open(stated({"randomizer.epsilon0"}));
  EXPECT_FALSE(open.complete());
  const Error error = error_of([&] { open.whole(); });
  EXPECT_EQ(error.reason(), Reason::missing);
  EXPECT_EQ(error.key(), "randomizer.epsilon0");
  EXPECT_THAT(error.what(), HasSubstr("set it in the plan or with epsilon0="));
  EXPECT_NO_THROW(open.solving_for(Knob::epsilon0));
  EXPECT_ERROR(ErrorCode::plan, open.solving_for(Knob::rounds));
  EXPECT_ERROR(ErrorCode::plan, OpenPlan(stated({"participation.protocol"})));
}

// A value that code states is refused with the same message as a flag's value, except that the message names
// the argument instead of the flag.
TEST(OpenPlan, RefusesWhatFlagsRefuse) {
  for (const auto& [key, value] : {std::pair("population.clients", "1.5"),
                                   {"population.clients", "18446744073709551616"},
                                   {"participation.rate", "nan"},
                                   {"participation.rate", "0.2:0.1"},
                                   {"randomizer.epsilon0", "x"},
                                   {"participation.subset", "5"}}) {
    PlanSource code = stated(), flags = stated();
    code.state(key, text(value), true);
    flags.override_key(key, value);
    const Error in_code = error_of([&] { OpenPlan{code}; });
    const Error by_flag = error_of([&] { OpenPlan{flags}; });
    EXPECT_EQ(in_code.reason(), by_flag.reason());
    EXPECT_EQ(in_code.allowed(), by_flag.allowed());
    std::string words = by_flag.what();
    const std::string flag(spec_of(key).flag);
    words.replace(words.find(flag), flag.size(), keyword_of(spec_of(key)) + "=");
    EXPECT_EQ(in_code.what(), words);
  }
}

// If an override changes the protocol, earlier keys that do not apply to the new protocol are left out. A key
// that is stated together with the new protocol and does not apply to it is refused.
TEST(OpenPlan, OverridesLeaveOutWhatNoLongerApplies) {
  PlanSource source = stated();
  source.state("participation.rate", text("0.2"), true);
  source.settle();
  source.state("participation.protocol", text("shuffle"), true);
  const OpenPlan shuffled(source);
  EXPECT_EQ(shuffled.whole().left_out().size(), 1);
  EXPECT_THAT(shuffled.whole().left_out().front(), HasSubstr("participation.rate = 0.2 (rate=)"));
  PlanSource longer = source;
  longer.settle();
  longer.state("rounds.count", text("3"), true);
  EXPECT_EQ(OpenPlan(longer).whole().rounds(), 3);
  EXPECT_TRUE(OpenPlan(longer).whole().left_out().empty());
  source.state("participation.rate", text("0.3"), true);
  EXPECT_ERROR(ErrorCode::plan, OpenPlan{source});
}

// A plan in code may state keys that only training uses, although flags for these keys are refused by
// commands that do not use them.
TEST(OpenPlan, TakesKeysOfTraining) {
  PlanSource source = stated();
  source.state("rounds.momentum", text("0.9"), false);
  source.state("rounds.average", text("0.1"), true);
  EXPECT_EQ(OpenPlan(source).whole().momentum(), 0.9);
  source.override_key("rounds.momentum", "0.8");
  EXPECT_ERROR(ErrorCode::plan, OpenPlan{source});
}

TEST(Keywords, AreFlagsWithoutDashes) {
  EXPECT_EQ(keyword_of(spec_of("rounds.learning_rate")), "learning_rate");
  EXPECT_EQ(keyword_of(spec_of("rounds.count")), "rounds");
  EXPECT_EQ(keyword_of(spec_of("name")), "name");
  EXPECT_EQ(nearest_keyword("client"), "clients");
}

}  // namespace
}  // namespace muster::protocols
