// Tests what --scale makes of a plan.
#include "muster/reproduce/shortened_plan.h"

#include <gtest/gtest.h>

#include <string>

#include "muster/plan/plan.h"

namespace muster::reproduce {
namespace {

using protocols::Plan;
using protocols::PlanSource;

std::string plan_text(const std::string& rounds) {
  return "[population]\nclients = 60000\ndata = 'digits'\n[participation]\nprotocol = 'shuffled-check-in'\n"
         "rate = 0.1\n[randomizer]\nkind = 'ldp-sgd'\nepsilon0 = 2\nclip = 1\n[rounds]\n" +
         rounds + "\n[model]\nkind = 'cnn'\n[privacy]\ndelta = 1e-5\n";
}

PlanSource source(const std::string& rounds) { return PlanSource::from_text(plan_text(rounds), "a.toml"); }

Plan at_scale(const std::string& rounds, double scale) {
  return Plan::validate(shortened(source(rounds), scale), protocols::Command::train);
}

TEST(ShortenedPlan, HasAFractionOfTheRoundsAndOfWhatCountsThem) {
  const Plan plan = at_scale("count = 6800\nlog_every = 200\ncheckpoint_every = 50\nlearning_rate = 1", 0.1);
  EXPECT_EQ(plan.rounds(), 680U);
  EXPECT_EQ(plan.log_every(), 20U);
  EXPECT_EQ(plan.checkpoint_every(), 5U);
  EXPECT_EQ(plan.learning_rate()->canonical(), "1");
}

TEST(ShortenedPlan, HasAtLeastOneRound) {
  const Plan plan = at_scale("count = 6800\nlog_every = 200\nlearning_rate = 'inverse-sqrt:30'", 1e-6);
  EXPECT_EQ(plan.rounds(), 1U);
  EXPECT_EQ(plan.log_every(), 1U);
  EXPECT_EQ(plan.learning_rate()->canonical(), "inverse-sqrt:30");
}

TEST(ShortenedPlan, ChangesTheRateAfterTheSameFractionOfTheRounds) {
  const std::string stepped = "count = 1000\nlearning_rate = [[1, 0.3], [421, 0.18], [425, 0.1]]";
  EXPECT_EQ(at_scale(stepped, 0.5).learning_rate()->canonical(), "[[1, 0.3], [211, 0.18], [213, 0.1]]");
  // Of steps that would begin in the same round, only the last is left.
  EXPECT_EQ(at_scale(stepped, 0.1).learning_rate()->canonical(), "[[1, 0.3], [43, 0.1]]");
  EXPECT_EQ(at_scale(stepped, 0.0001).learning_rate()->canonical(), "0.1");
}

TEST(ShortenedPlan, IsThePlanItselfAtScale1) {
  const std::string rounds = "count = 1000\nlearning_rate = [[1, 0.3], [421, 0.18]]";
  EXPECT_EQ(at_scale(rounds, 1).hash(), Plan::validate(source(rounds), protocols::Command::train).hash());
}

}  // namespace
}  // namespace muster::reproduce
