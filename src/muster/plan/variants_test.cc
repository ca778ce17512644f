// Checks which flags apply to which variant of a plan, and that a flag that applies to none is refused.
#include "muster/plan/variants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "muster/core/error_of_test.h"
#include "muster/plan/plan.h"

namespace muster::protocols {
namespace {

constexpr const char* kPlan = R"(
population.clients = 600
participation.protocol = "shuffled-check-in"
participation.rate = 0.1
randomizer.kind = "ldp-sgd"
randomizer.epsilon0 = 2.0
rounds.count = 68
)";

const Settings kShuffle = {{"participation.protocol", "shuffle"}};
const Settings kSubset = {{"participation.protocol", "subset"}};
const Settings kCheckIn = {{"participation.protocol", "shuffled-check-in"}};

std::vector<Plan> plans_of(const Settings& flags, const std::vector<Settings>& settings) {
  PlanSource base = PlanSource::from_text(kPlan, "a.toml");
  for (const auto& [key, value] : flags) base.override_key(key, value);
  std::vector<Plan> plans;
  for (const PlanSource& source : variants_of(base, settings, "--sweep")) {
    plans.push_back(Plan::validate(source, Command::account));
  }
  return plans;
}

TEST(Variants, AFlagServesTheVariantsToWhichItApplies) {
  const std::vector<Plan> plans = plans_of({{"participation.subset", "60"}, {"participation.rate", "0.2"}},
                                           {kShuffle, kSubset, kCheckIn});
  EXPECT_THAT(plans[0].left_out(), testing::SizeIs(2));
  EXPECT_EQ(plans[1].subset(), 60);
  EXPECT_THAT(plans[1].left_out(),
              testing::ElementsAre("participation.rate = 0.2 (--rate) does not apply to protocol subset with "
                                   "randomizer ldp-sgd, and is left out"));
  EXPECT_EQ(plans[2].rate(), 0.2);
}

TEST(Variants, AFlagThatAppliesToNoneIsRefused) {
  const Error error = error_of([] { plans_of({{"participation.slots", "5"}}, {kShuffle, kCheckIn}); });
  EXPECT_EQ(error.key(), "participation.slots");
  EXPECT_THAT(error.what(), testing::HasSubstr("does not apply to protocol shuffle"));
}

TEST(Variants, WhatIsSetMustApply) {
  Settings both = kShuffle;
  both.emplace_back("participation.rate", "0.5");
  const Error error = error_of([&] { plans_of({}, {both, kCheckIn}); });
  EXPECT_EQ(error.key(), "participation.rate");
  EXPECT_THAT(error.what(), testing::HasSubstr("(--sweep)"));
}

TEST(Variants, AnUnknownNameIsRefusedByName) {
  const Error error = error_of([] {
    plans_of({{"participation.rate", "0.2"}}, {{{"participation.protocol", "shufle"}}, kCheckIn});
  });
  EXPECT_EQ(error.key(), "participation.protocol");
}

}  // namespace
}  // namespace muster::protocols
