// Checks the page of several runs that are made by hand: each run has a row, the keys that differ are listed,
// epsilons are rounded up, unfinished runs are marked, and text from files is escaped.
#include "muster/reporting/runs_html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "muster/reporting/made_runs_test.h"
#include "muster/reporting/page_parts.h"

namespace muster::reporting {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Optional;

TEST(RunsHtml, KeysThatDifferHaveTheValueOfEachPlan) {
  MadeRuns made;
  made.add("a", 0.8);
  made.add("b", 0.7, {{"randomizer.sigma", "2"}, {"rounds.momentum", "0.5"}, {"population.records", "12"}});
  std::vector<DifferingKey> keys = differing_keys(made.compared());
  std::vector<std::string> names;
  for (const DifferingKey& each : keys) names.push_back(each.key);
  EXPECT_THAT(names, ElementsAre("population.partition", "population.records", "randomizer.sigma",
                                 "rounds.momentum"));
  EXPECT_THAT(keys[0].values, ElementsAre(std::nullopt, Optional(std::string("shuffled"))));
  EXPECT_THAT(keys[2].values, ElementsAre(Optional(std::string("1")), Optional(std::string("2"))));
  MadeRuns same;
  same.add("a", 0.8);
  same.add("b", 0.7);
  EXPECT_TRUE(differing_keys(same.compared()).empty());
  EXPECT_THAT(runs_html(same.compared()), HasSubstr("All plans are the same."));
}

TEST(RunsHtml, APageHasARowForEachRunWithFullValues) {
  MadeRuns made;
  made.add("one-gradient", 0.8, kPeople);
  made.add("without", 0.7);
  const std::string html = runs_html(made.compared());
  EXPECT_TRUE(page::is_report(html));
  EXPECT_THAT(html, HasSubstr("<title>one-gradient, without: runs of muster</title>"));
  EXPECT_THAT(html, HasSubstr("<data value=\"0.80000000000000004\">0.8000</data>"));
  EXPECT_THAT(html, HasSubstr("<data value=\"0.79000000000000004\">0.7900</data>"));  // the mean over clients
  EXPECT_THAT(html, HasSubstr("client mean"));
  EXPECT_THAT(html, HasSubstr("one-gradient: each client holds 12 records"));
  EXPECT_THAT(html, HasSubstr("the epsilons do not protect the same"));
  EXPECT_THAT(html, HasSubstr("muster account computes of their plans"));
}

TEST(RunsHtml, EpsilonsAreRoundedUp) {
  MadeRuns made;
  simulation::RunRecord& run = made.add("a", 0.8);
  run.result->epsilon = 1.99990001;
  made.add("b", 0.8).result->epsilon = std::numeric_limits<double>::infinity();
  const std::string html = runs_html(made.compared());
  EXPECT_THAT(html, HasSubstr("\">2.0000</data>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"n\">none</td>"));
}

TEST(RunsHtml, AnUnfinishedRunIsMarked) {
  MadeRuns made;
  made.add("a", 0.8);
  simulation::RunRecord& half = made.add("half", 0.7);
  half.result.reset();
  half.logged.pop_back();
  simulation::RunRecord& none = made.add("none", 0.7);
  none.result.reset();
  none.logged.clear();
  const std::string html = runs_html(made.compared());
  EXPECT_THAT(html, HasSubstr("<data value=\"30\">30</data> of 40</td><td>unfinished</td>"));
  EXPECT_THAT(html, HasSubstr("<data value=\"0\">0</data> of 40</td><td>unfinished</td>"));
  EXPECT_THAT(html, HasSubstr("half and none: unfinished"));
  EXPECT_THAT(html, Not(HasSubstr("client mean")));
}

TEST(RunsHtml, TextFromOutsideIsEscaped) {
  MadeRuns made;
  made.add("<img src=x>&", 0.8);
  made.add("b\xff", 0.8);
  const std::string html = runs_html(made.compared());
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, HasSubstr("&lt;img src=x&gt;&amp;"));
  EXPECT_THAT(html, Not(HasSubstr("\xff")));
  EXPECT_THAT(html, Not(HasSubstr("http")));
}

}  // namespace
}  // namespace muster::reporting
