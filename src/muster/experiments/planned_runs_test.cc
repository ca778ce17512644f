// Checks the order in which the runs of several plans and seeds are trained.
#include "muster/experiments/planned_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/plan/source.h"

namespace muster::experiments {
namespace {

using protocols::Plan;
using ::testing::ElementsAre;

// Returns a plan on the table `data`, which is never read.
Plan plan(const std::string& name, const std::string& data, const std::string& seed = "1") {
  const std::string text = "name = '" + name + "'\nseed = " + seed +
                           "\n[population]\nclients = 4\ndata = 'csv:" + data +
                           "'\n[participation]\nprotocol = 'shuffle'\n"
                           "[randomizer]\nkind = 'ldp-sgd'\nepsilon0 = 2\nclip = 1\n"
                           "[rounds]\ncount = 5\nlearning_rate = 0.1\n[model]\nkind = 'logistic'\n"
                           "[privacy]\ndelta = 1e-5\n";
  return Plan::validate(protocols::PlanSource::from_text(text, "plan.toml"), protocols::Command::train);
}

class PlannedRunsTest : public ::testing::Test {
 protected:
  void add(const Plan& first, std::uint64_t seeds) {
    const std::vector<Plan> plans = plans_with_seeds(first, seeds);
    for (std::size_t i = 0; i < plans.size(); ++i) {
      results_.push_back({plans[i].name() + std::to_string(plans[i].seed()), std::nullopt, ""});
      runs_.push_back({plans[i], i, &results_.back()});
    }
  }
  std::vector<std::string> order() {
    order_for_training(runs_);
    std::vector<std::string> names;
    for (const PlannedRun& run : runs_) names.push_back(run.into->folder);
    return names;
  }

  std::list<simulation::SweptRun> results_;
  std::vector<PlannedRun> runs_;
};

TEST_F(PlannedRunsTest, SeedBySeedIfTheDataAreShared) {
  add(plan("a", "x.csv", "7"), 3);
  add(plan("b", "x.csv", "7"), 3);
  EXPECT_THAT(order(), ElementsAre("a7", "b7", "a8", "b8", "a9", "b9"));
  EXPECT_NE(shared_data(runs_), "");
}

TEST_F(PlannedRunsTest, RunsOnTheSameDataAreConsecutive) {
  add(plan("a", "x.csv"), 2);
  add(plan("b", "y.csv"), 2);
  add(plan("c", "x.csv"), 2);
  EXPECT_THAT(order(), ElementsAre("a1", "c1", "a2", "c2", "b1", "b2"));
  EXPECT_EQ(shared_data(runs_), "");
}

TEST_F(PlannedRunsTest, SeedsEndAtTheLastOne) {
  const std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  const Plan second_last = plan("a", "x.csv").with("seed", std::to_string(last - 1));
  EXPECT_EQ(plans_with_seeds(second_last, 2).back().seed(), last);
  const Error error = error_of([&] { static_cast<void>(plans_with_seeds(second_last, 3)); });
  EXPECT_EQ(error.key(), "--seeds");
}

TEST_F(PlannedRunsTest, AFailureIsNamed) {
  add(plan("a", "x.csv"), 2);
  EXPECT_NO_THROW(throw_if_any_failed(runs_, "sweep"));
  results_.back().failure = "diverged in round 3";
  const Error error = error_of([&] { throw_if_any_failed(runs_, "comparison"); });
  EXPECT_EQ(error.code(), ErrorCode::data);
  EXPECT_EQ(error.key(), "a2");
  EXPECT_STREQ(error.what(), "a2 failed, and the other runs of the comparison are done: diverged in round 3");
}

}  // namespace
}  // namespace muster::experiments
