// Tests what must hold for every row of the table of randomizers: the randomizer that runs is the one that is
// charged, and the numbers of a row are finite over the whole range of the plan keys.
#include "muster/plan/randomizer_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/plan/keys.h"
#include "muster/plan/profile_file.h"

namespace muster::protocols {
namespace {

using testing::ElementsAre;

// Returns a plan's values for a row, in which only the keys that the row takes are set.
PlanValues values_for(const RandomizerSpec& spec, double parameter) {
  PlanValues values;
  values.randomizer = spec.kind;
  if (spec.takes_epsilon0) values.epsilon0 = parameter;
  if (spec.takes_sigma) values.sigma = parameter;
  if (spec.takes_clip) values.clip = 0.5;
  if (spec.takes_k) values.k = 7;
  if (spec.takes_profile) {
    values.profile =
        std::make_shared<const ProfileFile>(read_profile_file("plans/profiles/three-letters.csv"));
  }
  return values;
}

std::size_t dimension_for(const RandomizerSpec& spec) {
  switch (spec.randomizes) {
    case Randomizes::vectors:
      return 16;
    case Randomizes::one_number:
      return 1;
    case Randomizes::one_answer:
      return 7;
  }
  return 0;
}

TEST(RandomizerTable, HasOneRowForEveryChoiceOfTheKey) {
  std::set<RandomizerKind> kinds;
  std::vector<std::string_view> names, choices;
  for (const RandomizerSpec& spec : randomizer_table()) {
    EXPECT_TRUE(kinds.insert(spec.kind).second) << spec.name;
    EXPECT_EQ(spec_of(spec.kind).name, spec.name);
    EXPECT_STREQ(name_of(spec.kind), spec.name);
    names.emplace_back(spec.name);
  }
  for (const Choice& choice : spec_of("randomizer.kind").choices()) choices.push_back(choice.name);
  EXPECT_EQ(names, choices);
  EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
}

TEST(RandomizerTable, RefusesAKindWithoutARow) {
  EXPECT_ERROR(ErrorCode::internal, spec_of(static_cast<RandomizerKind>(99)));
}

TEST(RandomizerTable, ChargesWhatRuns) {
  for (const RandomizerSpec& spec : randomizer_table()) {
    if (spec.sampler == nullptr) continue;
    for (const double parameter : {0.25, 1.0, 3.0}) {
      const PlanValues values = values_for(spec, parameter);
      const auto sampler = spec.sampler(values, dimension_for(spec));
      EXPECT_EQ(sampler->description(), spec.description(values)) << spec.name;
      EXPECT_EQ(sampler->dimension(), dimension_for(spec)) << spec.name;
    }
  }
}

TEST(RandomizerTable, ReadsNoKeyThatARowDoesNotTake) {
  for (const RandomizerSpec& spec : randomizer_table()) {
    const PlanValues values = values_for(spec, 1);
    EXPECT_NO_THROW(spec.description(values)) << spec.name;
    if (spec.sum_sampler != nullptr) {
      EXPECT_NE(spec.sum_sampler(values, dimension_for(spec)), nullptr) << spec.name;
    }
  }
}

TEST(RandomizerTable, TrainsWhatHasASamplerAndAMoment) {
  for (const RandomizerSpec& spec : randomizer_table()) {
    EXPECT_EQ(spec.untrainable.empty(), spec.sampler != nullptr) << spec.name;
    EXPECT_EQ(spec.second_moment != nullptr, spec.sampler != nullptr) << spec.name;
    EXPECT_TRUE(spec.sum_sampler == nullptr || spec.sampler != nullptr) << spec.name;
  }
}

// The table states the second moment for clip norm 1 and exact probabilities. The samplers round their
// probabilities to multiples of 2^-64, and the Gaussian's messages to a grid whose step is at most 1/64 of
// the standard deviation. The tolerance of 1e-4 covers this rounding.
TEST(RandomizerTable, StatesTheMomentOfItsSampler) {
  for (const RandomizerSpec& spec : randomizer_table()) {
    if (spec.sampler == nullptr || spec.randomizes == Randomizes::one_answer) continue;
    for (const double parameter : {0.25, 1.0, 3.0}) {
      PlanValues values = values_for(spec, parameter);
      values.clip = 1;
      const double moment = spec.sampler(values, 1)->variance(1) + 1;
      EXPECT_NEAR(spec.second_moment(values), moment, 1e-4 * moment) << spec.name << " " << parameter;
    }
  }
}

TEST(RandomizerTable, EstimatesAreFiniteAtTheEdgesOfTheKeys) {
  for (const RandomizerSpec& spec : randomizer_table()) {
    for (const double parameter : {5e-324, 1e-300, 1e-9, 1.0, 60.0, 1e5, 1.7e308}) {
      const double variance = spec.likelihood_variance(values_for(spec, parameter));
      EXPECT_TRUE(std::isfinite(variance) && variance >= 0) << spec.name << " " << parameter;
    }
  }
}

TEST(RandomizerTable, ListsNamesInItsOrder) {
  EXPECT_EQ(vector_randomizers(), "ldp-sgd | gaussian | l1 | l2 | linf");
  EXPECT_THAT(randomizers_where(&RandomizerSpec::takes_k), ElementsAre("k-rr"));
  EXPECT_THAT(randomizers_where(&RandomizerSpec::sum_sampler), ElementsAre("gaussian", "k-rr"));
}

}  // namespace
}  // namespace muster::protocols
