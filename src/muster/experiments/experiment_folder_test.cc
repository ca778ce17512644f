// Checks which folders an experiment accepts, and what it leaves in them.
#include "muster/experiments/experiment_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/plan/source.h"
#include "tests/support/temporary_folder.h"

namespace muster::experiments {
namespace {

namespace fs = std::filesystem;
using protocols::Plan;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

Plan plan() {
  const std::string text =
      "name = 'small'\n[population]\nclients = 4\ndata = 'digits'\n[participation]\nprotocol = 'shuffle'\n"
      "[randomizer]\nkind = 'ldp-sgd'\nepsilon0 = 2\nclip = 1\n[rounds]\ncount = 5\nlearning_rate = 0.1\n"
      "[model]\nkind = 'logistic'\n[privacy]\ndelta = 1e-5\n";
  return Plan::validate(protocols::PlanSource::from_text(text, "plan.toml"), protocols::Command::train);
}

class ExperimentFolderTest : public ::testing::Test {
 protected:
  ExperimentFolderTest() { fs::create_directory(folder()); }
  fs::path folder() const { return temporary_.path() / "experiment"; }
  // Returns the text of the error that check_folder throws, or "" if the folder is accepted.
  std::string refusal(bool resume) {
    try {
      check_folder(folder(), runs_, "sweep", resume);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::file);
      return error.what();
    }
    return "";
  }

  testing::TemporaryFolder temporary_;
  simulation::SweptRun result_{"small-1", std::nullopt, ""};
  std::vector<PlannedRun> runs_ = {{plan(), 0, &result_}};
};

TEST_F(ExperimentFolderTest, AbsentAndEmptyFoldersAreAccepted) {
  EXPECT_EQ(refusal(false), "");
  fs::remove(folder());
  EXPECT_EQ(refusal(false), "");
  EXPECT_EQ(refusal(true), "");
}

TEST_F(ExperimentFolderTest, RunsAreContinuedOnlyOnRequest) {
  fs::create_directory(folder() / "small-1");
  leave_summary(folder(), "{}", "<svg/>");
  replace_file(folder() / "left", "by a killed process");
  fs::rename(folder() / "left", folder() / "summary.json.1.tmp");
  EXPECT_TRUE(is_temporary_of("summary.json.1.tmp", kSummaryFile));
  EXPECT_THAT(refusal(false), HasSubstr("holds runs of this sweep; --resume continues it"));
  EXPECT_EQ(refusal(true), "");
}

TEST_F(ExperimentFolderTest, FoldersOfOthersAreRefused) {
  fs::create_directory(folder() / "small-2");
  for (const bool resume : {false, true}) {
    EXPECT_THAT(refusal(resume), HasSubstr("holds something else: small-2"));
  }
  fs::remove(folder() / "small-2");
  fs::remove(folder());
  replace_file(folder(), "a file");
  EXPECT_THAT(refusal(true), HasSubstr("cannot be read"));
}

TEST_F(ExperimentFolderTest, TheUsualFolderIsNamedAfterAllPlans) {
  const fs::path one = usual_folder(runs_, "compare");
  EXPECT_EQ(one.parent_path(), "runs");
  EXPECT_THAT(one.filename().string(), MatchesRegex("small-compare-[0-9a-f]{8}"));
  runs_.push_back({plan().with("seed", "2"), 1, &result_});
  EXPECT_NE(usual_folder(runs_, "compare"), one);
}

TEST_F(ExperimentFolderTest, TheSummaryIsLeftWhereRunsAre) {
  leave_summary(folder(), "{}", "<svg/>");
  EXPECT_EQ(read_file(folder() / kSummaryFile), "{}\n");
  EXPECT_EQ(read_file(folder() / kSummaryPicture), "<svg/>");
  leave_summary(folder() / "absent", "{}", "<svg/>");
  EXPECT_FALSE(fs::exists(folder() / "absent"));
}

}  // namespace
}  // namespace muster::experiments
