// Checks that runs that share data and accountants give the same results as ordinary runs, and are never
// trained twice.
#include "muster/experiments/many_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/experiments/table_runs_test.h"
#include "muster/simulation/runs/run_record.h"

namespace muster::experiments {
namespace {

using protocols::Plan;
using simulation::RunResult;
using simulation::Stopped;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ManyRunsTest : public TableRuns {
 protected:
  Plan plan(const std::string& learning_rate) const {
    return TableRuns::plan().with("rounds.learning_rate", learning_rate);
  }
  ManyRuns many() { return {{1, &watched_.interrupt}, watched_.make_observer(), keep_notes()}; }
};

TEST_F(ManyRunsTest, AFinishedRunIsNotTrainedAgain) {
  write_table();
  ManyRuns runs = many();
  const RunResult first = runs.run(plan("0.1"), folder("a"), "run 1 of 2");
  EXPECT_EQ(first.stopped, Stopped::done);
  EXPECT_EQ(first.rounds, 5U);
  EXPECT_EQ(runs.run(plan("0.1"), folder("a"), "run 1 of 2"), first);
  static_cast<void>(runs.run(plan("0.2"), folder("b"), "run 2 of 2"));
  EXPECT_THAT(watched_.started, ElementsAre("run 1 of 2", "run 2 of 2"));
}

TEST_F(ManyRunsTest, AnInterruptedRunContinuesToTheSameResult) {
  write_table();
  watched_.interrupt_after = 3;
  EXPECT_EQ(many().run(plan("0.1"), folder("a"), "").stopped, Stopped::interrupted);
  EXPECT_EQ(watched_.rounds, 3U);
  watched_.interrupt_after = 0;
  watched_.interrupt = false;
  ManyRuns runs = many();
  const RunResult resumed = runs.run(plan("0.1"), folder("a"), "");
  EXPECT_EQ(watched_.rounds, 5U);
  const RunResult whole = runs.run(plan("0.1"), folder("b"), "");
  EXPECT_EQ(resumed.accuracy, whole.accuracy);
  EXPECT_EQ(resumed.epsilon, whole.epsilon);
}

// The file is removed after the first run, so the second run can only use the data that are loaded already.
TEST_F(ManyRunsTest, DataAreReadOnceForRunsThatShareThem) {
  write_table();
  ManyRuns runs = many();
  static_cast<void>(runs.run(plan("0.1"), folder("a"), ""));
  std::filesystem::remove(table());
  EXPECT_EQ(runs.run(plan("0.2"), folder("b"), "").stopped, Stopped::done);
  EXPECT_ERROR(ErrorCode::data, static_cast<void>(many().run(plan("0.2"), folder("c"), "")));
}

// The file appears after the first failure, which shows that the second run does not look for it again.
TEST_F(ManyRunsTest, DataThatCannotBeReadAreNotReadAgain) {
  ManyRuns runs = many();
  EXPECT_FALSE(runs.is_unreadable(plan("0.1")));
  EXPECT_ERROR(ErrorCode::data, static_cast<void>(runs.run(plan("0.1"), folder("a"), "")));
  write_table();
  EXPECT_TRUE(runs.is_unreadable(plan("0.2")));
  EXPECT_ERROR(ErrorCode::data, static_cast<void>(runs.run(plan("0.2"), folder("b"), "")));
  EXPECT_TRUE(watched_.started.empty());
}

// A learning rate of 1e300 makes the first run diverge.
TEST_F(ManyRunsTest, AFailureStopsNoOtherRun) {
  write_table();
  simulation::SweptRun first{"a", std::nullopt, ""}, second{"b", std::nullopt, ""};
  std::vector<RunResult> shown;
  ManyRuns runs = many();
  EXPECT_TRUE(runs.run_all({{plan("1e300"), 0, &first}, {plan("0.1"), 0, &second}}, temporary_.path(),
                           [&shown](const RunResult& result) { shown.push_back(result); }));
  EXPECT_THAT(first.failure, HasSubstr("diverged"));
  EXPECT_FALSE(first.result);
  ASSERT_TRUE(second.result);
  EXPECT_THAT(shown, ElementsAre(*second.result));
  EXPECT_THAT(watched_.started, ElementsAre("run 1 of 2", "run 2 of 2"));
}

// No theorem amplifies reports of epsilon0 above 100.
TEST_F(ManyRunsTest, OneNoteTellsThatRoundsAreNotAmplified) {
  write_table();
  ManyRuns runs = many();
  for (const char* rate : {"0.1", "0.2"}) {
    const Plan strong =
        plan(rate).with("participation.protocol", "shuffle").with("randomizer.epsilon0", "101");
    static_cast<void>(runs.run(strong, folder(rate), ""));
  }
  EXPECT_THAT(notes_, Contains(HasSubstr("epsilon counts no amplification by the protocol")).Times(1));
}

TEST_F(ManyRunsTest, DataThatAllRunsNeedAndNobodyCanReadStopThem) {
  simulation::SweptRun first{"a", std::nullopt, ""}, second{"b", std::nullopt, ""};
  ManyRuns runs = many();
  EXPECT_ERROR(ErrorCode::data, runs.run_all({{plan("0.1"), 0, &first}, {plan("0.2"), 0, &second}},
                                             temporary_.path(), [](const RunResult&) {}));
  EXPECT_EQ(first.failure, "");
}

TEST_F(ManyRunsTest, AnInterruptionEndsAllRuns) {
  write_table();
  watched_.interrupt_after = 3;
  simulation::SweptRun first{"a", std::nullopt, ""}, second{"b", std::nullopt, ""};
  ManyRuns runs = many();
  EXPECT_FALSE(runs.run_all({{plan("0.1"), 0, &first}, {plan("0.2"), 0, &second}}, temporary_.path(),
                            [](const RunResult&) {}));
  EXPECT_FALSE(first.result || second.result);
  EXPECT_EQ(watched_.rounds, 3U);
}

TEST_F(ManyRunsTest, WhatCannotBePaidIsRefusedBeforeTheFirstRun) {
  ManyRuns runs = many();
  EXPECT_NO_THROW(runs.check(plan("0.1").with("privacy.budget", "100")));
  EXPECT_ERROR(ErrorCode::budget, runs.check(plan("0.1").with("privacy.budget", "1e-6")));
}

}  // namespace
}  // namespace muster::experiments
