// Checks that runs are shown with the epsilons of today, and that no file of others is replaced by a page.
#include "muster/experiments/shown_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/experiments/watched_runs_test.h"
#include "muster/plan/source.h"
#include "muster/reporting/page_parts.h"
#include "tests/support/temporary_folder.h"

namespace muster::experiments {
namespace {

namespace fs = std::filesystem;
using protocols::Plan;
using simulation::RunRecord;
using ::testing::HasSubstr;

class ShownRunsTest : public ::testing::Test {
 protected:
  ShownRunsTest() {
    const std::string table = (temporary_.path() / "table.csv").string();
    replace_file(table, "kind,x\na,1\nb,2\na,1.5\nb,3\n");
    const std::string text =
        "[population]\nclients = 4\ndata = 'csv:" + table + "'\nlabel = 'kind'\ntest_data = 'csv:" + table +
        "'\n[participation]\nprotocol = 'shuffled-check-in'\nrate = 0.5\n"
        "[randomizer]\nkind = 'ldp-sgd'\nepsilon0 = 2\nclip = 1\n"
        "[rounds]\ncount = 3\nlearning_rate = 0.1\nlog_every = 1\n[model]\nkind = 'logistic'\n"
        "[privacy]\ndelta = 1e-5\n";
    const Plan plan =
        Plan::validate(protocols::PlanSource::from_text(text, "plan.toml"), protocols::Command::train);
    Watched watched;
    ManyRuns runs({1, &watched.interrupt}, watched.make_observer(), [](const std::string&) {});
    static_cast<void>(runs.run(plan, folder(), ""));
  }
  fs::path folder() const { return temporary_.path() / "run"; }
  std::vector<ShownRun> shown() const {
    return shown_runs({simulation::read_run(folder())}, [](const std::string&) {});
  }
  // Multiplies the epsilon of the first logged round by `factor`.
  void scale_first_epsilon(double factor) const {
    const double epsilon = simulation::read_run(folder()).logged.front().epsilon;
    std::string text = read_file(folder() / "metrics.jsonl");
    const std::size_t begin = text.find("\"epsilon\":") + 10;
    text.replace(begin, text.find_first_of(",}", begin) - begin, std::to_string(epsilon * factor));
    replace_file(folder() / "metrics.jsonl", text);
  }
  std::string refusal(const fs::path& out) const {
    try {
      refuse_what_is_not_ours(out, "page", reporting::is_report);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::file);
      return error.what();
    }
    return "";
  }

  testing::TemporaryFolder temporary_;
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
  const double today = simulation::read_run(folder()).logged.front().epsilon;
  scale_first_epsilon(2);
  const std::vector<ShownRun> all = shown();
  EXPECT_EQ(all.at(0).larger, 1U);
  EXPECT_DOUBLE_EQ(all.at(0).record.logged.front().epsilon, today);
}

TEST_F(ShownRunsTest, ASmallerEpsilonIsRefused) {
  scale_first_epsilon(0.5);
  EXPECT_THROW(shown(), Error);
}

TEST_F(ShownRunsTest, ThePageIsRecognisedAndMayBeReplaced) {
  const std::string page = page_of(shown().at(0));
  EXPECT_TRUE(reporting::is_report(page));
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
