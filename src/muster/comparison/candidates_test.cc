// Checks for which pairs of a protocol and a randomizer a plan states all keys, why the other pairs are left
// out, and that mistakes in the plan are refused instead.
#include "muster/comparison/candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/plan/keys.h"

namespace muster::comparison {
namespace {

using protocols::Command;
using protocols::PlanSource;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kPlan = R"(
population.clients = 600
participation.protocol = "shuffled-check-in"
participation.rate = 0.1
randomizer.kind = "gaussian"
randomizer.sigma = 5
rounds.count = 68
privacy.delta = 1e-5
)";

PlanSource source_with(const std::vector<std::pair<std::string, std::string>>& overrides = {},
                       const std::string& more = "") {
  PlanSource source = PlanSource::from_text(kPlan + more, "a.toml");
  for (const auto& [key, value] : overrides) source.override_key(key, value);
  return source;
}

std::vector<std::string> pairs_of(const Candidates& candidates) {
  std::vector<std::string> pairs;
  for (const protocols::Plan& plan : candidates.plans) {
    pairs.push_back(std::string(name_of(plan.protocol())) + " " + name_of(plan.randomizer()));
  }
  return pairs;
}

std::string refusal(const PlanSource& source, const Wanted& wanted) {
  try {
    candidates_of(source, wanted, Command::compare, Solves::noise);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Candidates, AllThatAreCompleteAreTakenAndTheOthersSayWhatTheyNeed) {
  const Candidates all = candidates_of(source_with(), {}, Command::compare, Solves::noise);
  // There are three protocols, each with all six randomizers that have a sampler and need no further key.
  EXPECT_EQ(all.plans.size(), 3U * 6U);
  EXPECT_THAT(pairs_of(all), testing::Contains("aggregated-check-in laplace"));
  EXPECT_THAT(pairs_of(all), testing::Not(testing::Contains("shuffle pure")));
  std::vector<std::string> names;
  for (const LeftOut& each : all.left_out) names.push_back(each.name + " " + each.why);
  EXPECT_THAT(names,
              testing::UnorderedElementsAre("subset needs participation.subset (--subset)",
                                            "random-check-in-fixed needs participation.slots (--slots)",
                                            "random-check-in-averaged needs participation.slots (--slots)",
                                            "random-check-in-sliding needs participation.slots (--slots)",
                                            "k-rr needs randomizer.k (--k)"));
}

TEST(Candidates, AModelTakesTheRandomizersThatServeIt) {
  const Candidates all = candidates_of(source_with({}, "model.kind = \"cnn\"\n"), {{"shuffle"}, {}},
                                       Command::compare, Solves::noise);
  EXPECT_THAT(pairs_of(all),
              ElementsAre("shuffle ldp-sgd", "shuffle gaussian", "shuffle l1", "shuffle l2", "shuffle linf"));
}

TEST(Candidates, FlagsServeTheProtocolsToWhichTheyApply) {
  const Candidates all = candidates_of(
      source_with({{"participation.subset", "60"}, {"participation.slots", "10"}}),
      {{"subset", "random-check-in-averaged", "shuffle"}, {"gaussian"}}, Command::compare, Solves::noise);
  ASSERT_EQ(all.plans.size(), 3U);
  EXPECT_EQ(all.plans[0].subset(), 60U);
  EXPECT_EQ(all.plans[1].slots(), 10U);
  EXPECT_EQ(all.plans[1].rate(), 0.1);
  EXPECT_EQ(all.local.size(), 1U);
  EXPECT_EQ(own_plan(source_with({{"participation.subset", "60"}})).sigma(), 5);
}

TEST(Candidates, WhatIsNamedMustBeComplete) {
  EXPECT_THAT(refusal(source_with(), {{"shuffle", "subset"}, {}}),
              HasSubstr("participation.subset is missing: protocol subset needs it"));
  EXPECT_THAT(refusal(source_with(), {{}, {"k-rr"}}), HasSubstr("randomizer.k is missing"));
  EXPECT_THAT(refusal(source_with(), {{"shufle"}, {}}), HasSubstr("did you mean shuffle?"));
  EXPECT_THAT(refusal(source_with(), {{}, {"gausian"}}), HasSubstr("did you mean gaussian?"));
  EXPECT_THAT(refusal(source_with({{"participation.subset", "601"}}), {{"subset"}, {}}),
              HasSubstr("participation.subset"));
  EXPECT_THAT(refusal(source_with({{"rounds.count", "0"}}), {}), HasSubstr("nothing to compare"));
}

TEST(Candidates, AMistakeOfThePlanIsNoReasonToLeaveSomethingOut) {
  PlanSource wrong = source_with({{"participation.rate", "1.5"}});
  EXPECT_THAT(refusal(wrong, {}), HasSubstr("participation.rate = 1.5"));
  EXPECT_THAT(refusal(source_with({{"participation.slots", "10"}}), {{"shuffle"}, {}}),
              HasSubstr("participation.slots = 10 (--slots) does not apply"));
}

// A plan whose own randomizer cannot be compared itself, and a flag that is wrong for all others.
TEST(Candidates, WhereNoPairIsLeftTheErrorNamesWhatIsWrong) {
  const PlanSource source = source_with({{"randomizer.kind", "pure"}, {"randomizer.clip", "-1"}});
  const Error error = error_of([&] { candidates_of(source, {}, Command::compare, Solves::noise); });
  EXPECT_EQ(error.code(), ErrorCode::plan);
  EXPECT_EQ(error.key(), "randomizer.clip");
  EXPECT_EQ(error.value(), "-1");
  EXPECT_EQ(error.allowed(), protocols::spec_of("randomizer.clip").allowed());
  EXPECT_THAT(error.what(), HasSubstr("(--clip)"));
}

TEST(Candidates, EachKeyThatIsLeftOutIsSaidOnce) {
  const auto sentences = [](const PlanSource& source, const Wanted& wanted, Solves solves = Solves::noise) {
    return keys_left_out(source, candidates_of(source, wanted, Command::compare, solves), solves);
  };
  const PlanSource source =
      source_with({{"participation.subset", "60"}, {"randomizer.k", "10"}}, "randomizer.clip = 0.5\n");
  EXPECT_THAT(
      sentences(source, {{"shuffle", "subset", "shuffled-check-in"}, {"gaussian", "l1", "k-rr"}}),
      ElementsAre("participation.rate = 0.1 (a.toml, line 4, column 22) does not apply to protocols "
                  "shuffle, subset, and is left out there",
                  "randomizer.clip = 0.5 (a.toml, line 9, column 19) does not apply to randomizer k-rr, "
                  "and is left out there",
                  "participation.subset = 60 (--subset) does not apply to protocols shuffle, "
                  "shuffled-check-in, and is left out there",
                  "randomizer.k = 10 (--k) does not apply to randomizers gaussian, l1, and is left out "
                  "there"));
  // The noise is solved for, and the rate, too, only where it can be chosen.
  EXPECT_THAT(sentences(source_with(), {{"shuffled-check-in"}, {"gaussian", "l1"}}), testing::IsEmpty());
  EXPECT_THAT(sentences(source_with(), {{"shuffled-check-in", "shuffle"}, {"gaussian"}}, Solves::accuracy),
              ElementsAre(HasSubstr("does not apply to protocol shuffle, and is left out there")));
}

TEST(Candidates, NoiseAndRateAreLeftOpen) {
  const Candidates noise =
      candidates_of(source_with(), {{"shuffled-check-in"}, {}}, Command::compare, Solves::noise);
  EXPECT_EQ(noise.plans.front().rate(), 0.1);
  EXPECT_EQ(noise.own.sigma(), std::nullopt);
  const Candidates both =
      candidates_of(source_with(), {{"shuffled-check-in"}, {}}, Command::compare, Solves::accuracy);
  EXPECT_EQ(both.plans.front().rate(), 0);
  EXPECT_EQ(own_plan(source_with()).sigma(), 5);
}

}  // namespace
}  // namespace muster::comparison
