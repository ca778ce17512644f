// Checks which rows of a comparison are trained, and that their plans are those of ordinary runs.
#include "muster/experiments/comparison_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "muster/comparison/candidates.h"
#include "muster/core/error.h"
#include "muster/core/number_text.h"
#include "muster/plan/source.h"
#include "muster/simulation/runs/run_folder.h"

namespace muster::experiments {
namespace {

using comparison::Comparison;
using comparison::Row;
using comparison::Solves;
using protocols::Command;
using protocols::Plan;
using protocols::PlanSource;

PlanSource source_with(const std::vector<std::pair<std::string, std::string>>& overrides = {}) {
  PlanSource source = PlanSource::from_text(
      "name = 'small'\nseed = 5\n[population]\nclients = 5\ndata = 'digits'\n"
      "[participation]\nprotocol = 'shuffled-check-in'\nrate = 0.1\n"
      "[randomizer]\nkind = 'ldp-sgd'\nepsilon0 = 2\nclip = 1\n[rounds]\ncount = 1\nlearning_rate = 0.1\n"
      "[model]\nkind = 'logistic'\n[privacy]\ndelta = 1e-5\n",
      "small.toml");
  for (const auto& [key, value] : overrides) source.override_key(key, value);
  return source;
}

Comparison compared(double epsilon, Solves solves = Solves::noise, double delta = 1e-5) {
  const comparison::Candidates candidates = comparison::candidates_of(
      source_with(), {{"shuffle", "shuffled-check-in"}, {"ldp-sgd"}}, Command::train, solves);
  return comparison::compare(candidates, {{.epsilon = epsilon, .delta = delta}, solves, std::nullopt}, {});
}

TEST(ComparedRuns, EveryRowWithAPlanHasARunPerSeed) {
  Comparison all = compared(0.5);
  const std::vector<PlannedRun> runs = runs_of(all, 2);
  ASSERT_EQ(runs.size(), 6U);  // two protocols and `local`
  std::size_t next = 0;
  for (const Row* row : {&all.rows[0], &all.rows[1], &all.references[0]}) {
    ASSERT_EQ(row->runs.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i, ++next) {
      EXPECT_EQ(runs[next].into, &row->runs[i]);
      EXPECT_EQ(runs[next].seed, i);
      EXPECT_EQ(runs[next].plan.seed(), 5 + i);
      EXPECT_EQ(runs[next].plan.epsilon0(), row->value);
      EXPECT_EQ(row->runs[i].folder, simulation::run_name(runs[next].plan));
    }
  }
  EXPECT_EQ(all.references[0].protocol, comparison::kLocal);
  EXPECT_EQ(all.references[1].protocol, comparison::kCentral);
  EXPECT_TRUE(all.references[1].runs.empty());
}

// The plans also equal those of `muster train` with the same protocol and the calibrated values as flags, so
// that a run can be repeated by itself.
TEST(ComparedRuns, TheirPlansAreThoseThatFlagsMake) {
  for (const Solves solves : {Solves::noise, Solves::accuracy}) {
    Comparison all = compared(0.5, solves);
    const std::vector<PlannedRun> runs = runs_of(all, 1);
    ASSERT_EQ(runs.size(), 3U);
    const Row& row = all.rows[1];
    const PlanSource typed = source_with({{"participation.protocol", "shuffled-check-in"},
                                          {"participation.rate", number_text(*row.rate)},
                                          {"randomizer.epsilon0", number_text(row.value)}});
    EXPECT_EQ(runs[1].plan.canonical(), Plan::validate(typed, Command::train).canonical());
  }
}

TEST(ComparedRuns, RowsWithoutAnAnswerHaveNone) {
  Comparison all = compared(1e-9, Solves::noise, 1e-40);
  ASSERT_FALSE(all.rows[0].plan);
  for (const PlannedRun& run : runs_of(all, 3)) EXPECT_NE(run.plan.protocol(), protocols::Protocol::shuffle);
  EXPECT_TRUE(all.rows[0].runs.empty());
}

TEST(ComparedRuns, ABudgetMustPayForAllRounds) {
  const auto refused = [](const std::string& budget) {
    const Plan own = Plan::validate(source_with({{"privacy.budget", budget}}), Command::train);
    try {
      check_budget(own, {.epsilon = 1, .delta = 1e-5});
    } catch (const Error& error) {
      EXPECT_EQ(error.key(), "privacy.budget");
      return true;
    }
    return false;
  };
  EXPECT_TRUE(refused("0.99"));
  EXPECT_FALSE(refused("1"));
}

}  // namespace
}  // namespace muster::experiments
