// Checks that runs are shown with the epsilons of today, and that a page replaces no file that muster did not
// write.
#include "muster/experiments/shown_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/experiments/table_runs_test.h"
#include "muster/reporting/page_parts.h"

namespace muster::experiments {
namespace {

namespace fs = std::filesystem;
using simulation::RunRecord;
using ::testing::HasSubstr;

class ShownRunsTest : public TableRuns {
 protected:
  ShownRunsTest() {
    write_table();
    ManyRuns runs({1, &watched_.interrupt}, watched_.make_observer(), keep_notes());
    static_cast<void>(runs.run(plan(), folder(), ""));
  }
  std::vector<ShownRun> shown() const {
    return shown_runs({simulation::read_run(folder())}, [](const std::string&) {});
  }
  double first_epsilon() const { return simulation::read_run(folder()).logged.front().epsilon; }
  std::string refusal(const fs::path& out) const {
    try {
      refuse_what_is_not_ours(out, "page", reporting::page::is_report);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::file);
      return error.what();
    }
    return "";
  }
};

TEST_F(ShownRunsTest, AnHonestRunIsShownAsItIs) {
  const RunRecord run = simulation::read_run(folder());
  const std::vector<ShownRun> all = shown();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].larger, 0U);
  EXPECT_EQ(all[0].record.result, run.result);
  ASSERT_EQ(all[0].record.logged.size(), run.logged.size());
  EXPECT_EQ(all[0].watched.bands.size(), run.logged.size());
}

TEST_F(ShownRunsTest, ALargerEpsilonIsReplacedAndCounted) {
  const double today = first_epsilon();
  state_first_epsilon(std::to_string(2 * today));
  const std::vector<ShownRun> all = shown();
  EXPECT_EQ(all.at(0).larger, 1U);
  EXPECT_DOUBLE_EQ(all.at(0).record.logged.front().epsilon, today);
}

TEST_F(ShownRunsTest, ASmallerEpsilonIsRefused) {
  state_first_epsilon(std::to_string(first_epsilon() / 2));
  const Error error = error_of([&] { shown(); });
  EXPECT_EQ(error.code(), ErrorCode::file);
  EXPECT_THAT(error.what(), HasSubstr("metrics.jsonl, line 1"));
}

TEST_F(ShownRunsTest, ThePageIsRecognisedAndMayBeReplaced) {
  const std::string page = page_of(shown().at(0));
  EXPECT_TRUE(reporting::page::is_report(page));
  const fs::path out = temporary_.path() / "page.html";
  EXPECT_EQ(refusal(out), "");
  replace_file(out, page);
  EXPECT_EQ(refusal(out), "");
}

TEST_F(ShownRunsTest, FilesOfOthersStayAsTheyAre) {
  const fs::path out = temporary_.path() / "mine.html";
  replace_file(out, "<html>by hand</html>");
  EXPECT_THAT(refusal(out), HasSubstr("it stays as it is"));
}

TEST_F(ShownRunsTest, NoPageTakesTheNameOfAFileOfTheRun) {
  for (const char* name : {"result.json", "plan.txt", "checkpoint", "metrics.csv"}) {
    EXPECT_THAT(refusal(folder() / name), HasSubstr("is a file of the run in this folder")) << name;
  }
  EXPECT_EQ(refusal(folder() / "report.html"), "");
  EXPECT_EQ(refusal(temporary_.path() / "metrics.csv"), "");
}

}  // namespace
}  // namespace muster::experiments
