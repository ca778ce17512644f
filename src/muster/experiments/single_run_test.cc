// Checks which folders a training run is given, and the notes and refusals before its first round.
#include "muster/experiments/single_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/experiments/table_runs_test.h"

namespace muster::experiments {
namespace {

namespace fs = std::filesystem;
using protocols::Plan;
using simulation::Fidelity;
using simulation::RunFolder;
using ::testing::Contains;
using ::testing::HasSubstr;

class SingleRunTest : public TableRuns {
 protected:
  SingleRunTest() { write_table(); }

  // Runs the steps of the header's example, and interrupts the run after `interrupt_after` rounds unless that
  // is 0.
  simulation::RunResult run(const Plan& plan, bool resume, std::uint64_t interrupt_after = 0) {
    notes_.clear();
    watched_.interrupt = false;
    watched_.rounds = 0;
    watched_.interrupt_after = interrupt_after;
    const reporting::NoteSink sink = keep_notes();
    const auto opened = open_run(folder(), plan, Fidelity::message, resume);
    if (opened->found() == RunFolder::Found::finished) {
      return finished_before(plan, Fidelity::message, *opened, sink);
    }
    const simulation::Prepared prepared =
        simulation::prepare(plan, simulation::Accounting::charged, Fidelity::message);
    before_training(plan, Fidelity::message, *opened, prepared, sink);
    const auto observer = watched_.make_observer()(plan, "");
    return simulation::train(plan, prepared.parts, prepared.data, *opened, {1, &watched_.interrupt},
                             *observer);
  }
  Plan other() const { return plan().with("rounds.count", "6"); }
  // Returns the text of the error with which the run is refused.
  std::string refusal(const Plan& plan, bool resume, ErrorCode code) {
    try {
      run(plan, resume);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      return error.what();
    }
    return "not refused";
  }
};

TEST_F(SingleRunTest, AFolderWithARunIsUsedAgainOnlyOnRequest) {
  run(plan(), false, 3);
  EXPECT_THAT(refusal(plan(), false, ErrorCode::file), HasSubstr("unfinished run; --resume continues it"));
  EXPECT_EQ(run(plan(), true).rounds, 5U);
  EXPECT_THAT(refusal(plan(), false, ErrorCode::file), HasSubstr("finished run; --resume shows its result"));
}

TEST_F(SingleRunTest, TheRunOfAnotherPlanIsNeitherContinuedNorShown) {
  const auto names_both = HasSubstr("found: rounds.count = 5, expected: rounds.count = 6");
  run(plan(), false, 3);
  EXPECT_THAT(refusal(other(), true, ErrorCode::checkpoint), names_both);
  run(plan(), true);
  EXPECT_THAT(refusal(other(), true, ErrorCode::checkpoint), names_both);
}

TEST_F(SingleRunTest, AFinishedRunIsShownAsItEnded) {
  const simulation::RunResult first = run(plan(), false);
  const simulation::RunResult again = run(plan(), true);
  EXPECT_EQ(again.accuracy, first.accuracy);
  EXPECT_EQ(again.epsilon, first.epsilon);
  EXPECT_EQ(again.rounds, first.rounds);
  EXPECT_TRUE(notes_.empty());
}

TEST_F(SingleRunTest, AnEpsilonThatIsTooSmallStopsTheRunBeforeItContinues) {
  run(plan(), false, 3);
  state_first_epsilon("1e-9");
  EXPECT_THAT(refusal(plan(), true, ErrorCode::file), HasSubstr("metrics.jsonl"));
}

TEST_F(SingleRunTest, AFinishedRunWithTooSmallAnEpsilonIsNotShown) {
  run(plan(), false);
  state_first_epsilon("1e-9");
  EXPECT_THAT(refusal(plan(), true, ErrorCode::file), HasSubstr("metrics.jsonl"));
}

TEST_F(SingleRunTest, NotesTellWhatTheNumbersCount) {
  run(plan(), false);
  EXPECT_THAT(notes_, Contains("the classes are 0 = a, 1 = b"));
  EXPECT_THAT(notes_, ::testing::Not(Contains(HasSubstr("share"))));
}

TEST_F(SingleRunTest, NotesTellThatClientsShareRecords) {
  run(plan().with("population.share", "true").with("population.records", "2"), false);
  EXPECT_THAT(notes_, Contains(HasSubstr("4 clients share 4 records, 2 a record on average")));
  EXPECT_THAT(notes_, Contains(HasSubstr("each client holds 2 records")));
}

TEST_F(SingleRunTest, WithoutAPathTheFolderIsNamedAfterThePlan) {
  const fs::path before = fs::current_path();
  fs::current_path(temporary_.path());
  const auto opened = open_run("", plan(), Fidelity::message, false);
  fs::current_path(before);
  EXPECT_EQ(opened->path(), fs::path("runs") / simulation::run_name(plan()));
}

}  // namespace
}  // namespace muster::experiments
