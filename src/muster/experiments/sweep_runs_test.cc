// Checks the combinations of a sweep, the texts that state them, and what is refused.
#include "muster/experiments/sweep_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/simulation/runs/run_folder.h"

namespace muster::experiments {
namespace {

using protocols::PlanSource;
using simulation::Sweep;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

PlanSource source() {
  return PlanSource::from_text(
      "name = 'small'\nseed = 5\n[population]\nclients = 4\ndata = 'digits'\n"
      "[participation]\nprotocol = 'shuffled-check-in'\nrate = 0.5\n"
      "[randomizer]\nkind = 'ldp-sgd'\nepsilon0 = 2\nclip = 1\n[rounds]\ncount = 5\nlearning_rate = 0.1\n"
      "[model]\nkind = 'logistic'\n[privacy]\ndelta = 1e-5\n",
      "small.toml");
}

Sweep sweep(const std::vector<std::string>& texts, std::uint64_t seeds = 1) {
  std::vector<simulation::SweptKey> keys;
  for (const std::string& text : texts) keys.push_back(swept_key_of(text));
  return sweep_of(source(), keys, seeds);
}

// Returns the text of the usage error that `call` throws, and "" if it throws none.
template <typename Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage) << error.what();
    return error.what();
  }
  return "";
}

TEST(SweptKeys, ValuesAreSplitOutsideBrackets) {
  EXPECT_EQ(swept_key_of("rounds.count=10,20").key, "rounds.count");
  EXPECT_THAT(swept_key_of("rounds.count=10,20").values, ElementsAre("10", "20"));
  EXPECT_THAT(swept_key_of("rounds.learning_rate=[[1, 0.5], [9, 0.1]],0.2").values,
              ElementsAre("[[1, 0.5], [9, 0.1]]", "0.2"));
  EXPECT_THAT(swept_key_of("population.data=csv:a=b.csv").values, ElementsAre("csv:a=b.csv"));
}

TEST(SweptKeys, OtherTextsAreRefused) {
  const auto refused = [](const std::string& text) { return refusal([&] { swept_key_of(text); }); };
  for (const char* text : {"", "=", "=1", "rounds.count"}) {
    EXPECT_THAT(refused(text), HasSubstr("is not a key and its values")) << text;
  }
  EXPECT_THAT(refused("rounds.cuont=1"), HasSubstr("did you mean rounds.count?"));
  EXPECT_THAT(refused("name=a,b"), HasSubstr("is no setting"));
  EXPECT_THAT(refused("seed=1,2"), HasSubstr("--seeds"));
  for (const char* text : {"rounds.count=", "rounds.count=1,", "rounds.count=,1", "rounds.count=1,,2"}) {
    EXPECT_THAT(refused(text), HasSubstr("has an empty value")) << text;
  }
  EXPECT_THAT(refused("rounds.count=1,2,1"), HasSubstr("has a value twice"));
}

TEST(Sweeps, TheLastKeyVariesFastest) {
  const Sweep all = sweep({"rounds.count=1,2", "randomizer.epsilon0=3,4,5"});
  ASSERT_EQ(all.combinations.size(), 6U);
  std::size_t next = 0;
  for (const char* rounds : {"1", "2"}) {
    for (const char* epsilon0 : {"3", "4", "5"}) {
      const simulation::Combination& combination = all.combinations[next++];
      EXPECT_THAT(combination.set,
                  ElementsAre(Pair("rounds.count", rounds), Pair("randomizer.epsilon0", epsilon0)));
      ASSERT_EQ(combination.plans.size(), 1U);
      EXPECT_EQ(combination.plans[0].rounds(), std::stoull(rounds));
      EXPECT_EQ(combination.plans[0].epsilon0(), std::stod(epsilon0));
    }
  }
}

TEST(Sweeps, EachSeedIsARunInAFolderOfItsOwn) {
  Sweep all = sweep({"rounds.count=1,2"}, 3);
  const std::vector<PlannedRun> runs = runs_of(all);
  ASSERT_EQ(runs.size(), 6U);
  std::set<std::string> folders;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ(runs[i].seed, i % 3);
    EXPECT_EQ(runs[i].plan.seed(), 5 + i % 3);
    EXPECT_EQ(runs[i].plan.rounds(), 1 + i / 3);
    EXPECT_EQ(runs[i].into, &all.runs[i / 3][i % 3]);
    EXPECT_EQ(runs[i].into->folder, simulation::run_name(runs[i].plan));
    folders.insert(runs[i].into->folder);
  }
  EXPECT_EQ(folders.size(), 6U);
}

TEST(Sweeps, SeedsAloneAreASweep) {
  Sweep all = sweep({}, 2);
  EXPECT_EQ(runs_of(all).size(), 2U);
  EXPECT_TRUE(all.combinations.at(0).set.empty());
}

TEST(Sweeps, WhatMakesNoSweepIsRefused) {
  const auto refused = [](const std::vector<std::string>& texts, std::uint64_t seeds = 1) {
    return refusal([&] { sweep(texts, seeds); });
  };
  EXPECT_THAT(refused({"rounds.count=1,2", "rounds.count=3"}), HasSubstr("is swept twice"));
  EXPECT_THAT(refused({"rounds.count=1,01"}), HasSubstr("two runs of the same plan"));
  EXPECT_THAT(refused({"rounds.count=1,2"}, 5'001), HasSubstr("too many runs"));
  EXPECT_THAT(refused({}, 10'001), HasSubstr("too many runs"));
}

// A sweep over protocols leaves out the file's rate where the protocol has none.
TEST(Sweeps, KeysThatDoNotApplyAreNamedOnce) {
  const Sweep all = sweep({"participation.protocol=shuffle,shuffled-check-in", "rounds.count=1,2"});
  EXPECT_FALSE(all.combinations[0].plans[0].left_out().empty());
  EXPECT_TRUE(all.combinations[2].plans[0].left_out().empty());
  EXPECT_THAT(left_out_of(all), ElementsAre(HasSubstr("participation.rate")));
}

}  // namespace
}  // namespace muster::experiments
