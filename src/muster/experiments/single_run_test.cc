// Checks which folders a training run is given, and the notes and refusals before its first round.
#include "muster/experiments/single_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/experiments/watched_runs_test.h"
#include "muster/plan/source.h"
#include "muster/simulation/runs/result_file.h"
#include "tests/support/temporary_folder.h"

namespace muster::experiments {
namespace {

namespace fs = std::filesystem;
using protocols::Plan;
using simulation::Fidelity;
using simulation::RunFolder;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

class SingleRunTest : public ::testing::Test {
 protected:
  SingleRunTest() { replace_file(table(), "kind,x\na,1\nb,2\na,1.5\nb,3\n"); }

  fs::path table() const { return temporary_.path() / "table.csv"; }
  fs::path folder() const { return temporary_.path() / "run"; }
  Plan plan(const std::string& rounds = "5", const std::string& more = "") const {
    const std::string text = "name = 'small'\n[population]\nclients = 4\ndata = 'csv:" + table().string() +
                             "'\nlabel = 'kind'\ntest_data = 'csv:" + table().string() + "'\n" + more +
                             "[participation]\nprotocol = 'shuffled-check-in'\nrate = 0.5\n"
                             "[randomizer]\nkind = 'ldp-sgd'\nepsilon0 = 2\nclip = 1\n"
                             "[rounds]\ncount = " +
                             rounds +
                             "\nlearning_rate = 0.1\n[model]\nkind = 'logistic'\n[privacy]\ndelta = 1e-5\n";
    return Plan::validate(protocols::PlanSource::from_text(text, "plan.toml"), protocols::Command::train);
  }
  // Runs the steps of the header's example, and interrupts the run after some rounds unless that is 0.
  simulation::RunResult run(const Plan& plan, bool resume, std::uint64_t interrupt_after = 0) {
    notes_.clear();
    Watched watched;
    watched.interrupt_after = interrupt_after;
    const reporting::NoteSink sink = [this](const std::string& note) { notes_.push_back(note); };
    const auto opened = open_run(folder(), plan, Fidelity::message, resume);
    if (opened->found() == RunFolder::Found::finished) {
      return finished_before(plan, Fidelity::message, *opened, sink);
    }
    const simulation::Prepared prepared =
        simulation::prepare(plan, simulation::Accounting::charged, Fidelity::message);
    before_training(plan, Fidelity::message, *opened, prepared, sink);
    const auto observer = watched.make_observer()(plan, "");
    return simulation::train(plan, prepared.parts, prepared.data, *opened, {1, &watched.interrupt},
                             *observer);
  }
  // Returns the text of the error that the run is refused with.
  std::string refusal(const Plan& plan, bool resume, ErrorCode code) {
    try {
      run(plan, resume);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      return error.what();
    }
    return "not refused";
  }
  // States `epsilon` in the first logged line.
  void edit_first_epsilon(const std::string& epsilon) const {
    std::string text = read_file(folder() / "metrics.jsonl");
    const std::size_t begin = text.find("\"epsilon\":") + 10;
    text.replace(begin, text.find_first_of(",}", begin) - begin, epsilon);
    replace_file(folder() / "metrics.jsonl", text);
  }

  testing::TemporaryFolder temporary_;
  std::vector<std::string> notes_;
};

TEST_F(SingleRunTest, AFolderWithARunIsUsedAgainOnlyOnRequest) {
  run(plan(), false, 3);
  EXPECT_THAT(refusal(plan(), false, ErrorCode::file), HasSubstr("unfinished run; --resume continues it"));
  EXPECT_EQ(run(plan(), true).rounds, 5U);
  EXPECT_THAT(refusal(plan(), false, ErrorCode::file), HasSubstr("finished run; --resume shows its result"));
}

TEST_F(SingleRunTest, TheRunOfAnotherPlanIsNeitherContinuedNorShown) {
  const auto names_both =
      AllOf(HasSubstr(plan().hash().substr(0, 8)), HasSubstr(plan("6").hash().substr(0, 8)));
  run(plan(), false, 3);
  EXPECT_THAT(refusal(plan("6"), true, ErrorCode::checkpoint), names_both);
  run(plan(), true);
  EXPECT_THAT(refusal(plan("6"), true, ErrorCode::checkpoint), names_both);
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
  edit_first_epsilon("1e-9");
  EXPECT_THAT(refusal(plan(), true, ErrorCode::file), HasSubstr("metrics.jsonl"));
}

TEST_F(SingleRunTest, AFinishedRunWithTooSmallAnEpsilonIsNotShown) {
  run(plan(), false);
  edit_first_epsilon("1e-9");
  EXPECT_THAT(refusal(plan(), true, ErrorCode::file), HasSubstr("metrics.jsonl"));
}

TEST_F(SingleRunTest, NotesTellWhatTheNumbersCount) {
  run(plan(), false);
  EXPECT_THAT(notes_, Contains("the classes are 0 = a, 1 = b"));
  EXPECT_THAT(notes_, ::testing::Not(Contains(HasSubstr("share"))));
}

TEST_F(SingleRunTest, NotesTellThatClientsShareRecords) {
  run(plan("5", "share = true\nrecords = 2\n"), false);
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
