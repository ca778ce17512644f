// Counts the lines and reads the labels in the pictures of runs that are made by hand.
#include "muster/reporting/runs_charts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "muster/reporting/made_runs_test.h"

namespace muster::reporting {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(RunsCharts, EachRunHasALineWithItsNameAndLastValue) {
  MadeRuns made;
  made.add("one", 0.8);
  made.add("two", 0.7);
  for (const RunAxis axis : {RunAxis::step, RunAxis::epsilon}) {
    const std::string svg = runs_chart(made.compared(), axis, RunMeasure::accuracy);
    EXPECT_EQ(count(svg, "stroke-linejoin"), 2U);
    EXPECT_THAT(svg, HasSubstr(">one 0.8000<"));
    EXPECT_THAT(svg, HasSubstr(">two 0.7000<"));
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
  }
  EXPECT_EQ(runs_chart(made.compared(), RunAxis::step, RunMeasure::by_client), "");
}

TEST(RunsCharts, AccuracyByClientHasASolidAndADashedLine) {
  MadeRuns made;
  made.add("one", 0.8, kPeople);
  made.add("two", 0.7);  // which logs no accuracy by client
  const std::string svg = runs_chart(made.compared(), RunAxis::epsilon, RunMeasure::by_client);
  EXPECT_EQ(count(svg, "stroke-linejoin"), 2U);
  EXPECT_EQ(count(svg, "stroke-dasharray=\"7 4\" stroke-linejoin"), 1U);
  EXPECT_THAT(svg, HasSubstr(">one, mean 0.7900<"));
  EXPECT_THAT(svg, HasSubstr(">one, worst tenth 0.7000<"));
}

TEST(RunsCharts, RoundsWithoutAProvenEpsilonAreLeftOut) {
  MadeRuns made;
  made.add("one", 0.8).logged.back().epsilon = std::numeric_limits<double>::infinity();
  EXPECT_THAT(runs_chart(made.compared(), RunAxis::epsilon, RunMeasure::accuracy), HasSubstr(">one 0.6000<"));
  for (auto& line : made.add("two", 0.7).logged) line.epsilon = std::numeric_limits<double>::infinity();
  const std::string svg = runs_chart(made.compared(), RunAxis::epsilon, RunMeasure::accuracy);
  EXPECT_EQ(count(svg, "stroke-linejoin"), 1U);
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(RunsCharts, TheMainPictureIsThatOfPeopleWhereAllRunsHaveThem) {
  MadeRuns made;
  made.add("one", 0.8, kPeople);
  const std::string people = main_picture(made.compared());
  EXPECT_THAT(people, HasSubstr("worst tenth"));
  EXPECT_THAT(people, HasSubstr("epsilon, proven, at delta 1e-05, for one client, all its records"));
  EXPECT_THAT(people, HasSubstr("no epsilon covers it"));
  for (auto& line : made.add("two", 0.8, kPeople).logged)
    line.epsilon = std::numeric_limits<double>::infinity();
  EXPECT_THAT(main_picture(made.compared()), Not(HasSubstr("epsilon, proven")));
  made.add("three", 0.7);
  const std::string accuracy = main_picture(made.compared());
  EXPECT_THAT(accuracy, Not(HasSubstr("worst tenth")));
  EXPECT_THAT(accuracy, HasSubstr("accuracy on the test set"));
  EXPECT_THAT(accuracy, HasSubstr("one and two: each client holds 12 records"));
}

TEST(RunsCharts, APictureIsRecognisedAndNothingElseIs) {
  MadeRuns made;
  made.add("<metadata>muster report</metadata>\n", 0.8);
  const std::string picture = main_picture(made.compared());
  EXPECT_TRUE(is_main_picture(picture));
  EXPECT_EQ(count(picture, "<metadata>"), 1U);
  EXPECT_FALSE(is_main_picture(svg_picture({10, 10}, "<metadata>muster report</metadata>\n", "")));
  EXPECT_FALSE(is_main_picture(picture.substr(1)));
  EXPECT_FALSE(is_main_picture(""));
}

TEST(RunsCharts, ARunWithoutLoggedRoundsHasAPictureThatSaysSo) {
  MadeRuns made;
  simulation::RunRecord& run = made.add("one", 0.8);
  run.logged.clear();
  run.result.reset();
  EXPECT_EQ(runs_chart(made.compared(), RunAxis::step, RunMeasure::accuracy), "");
  EXPECT_THAT(main_picture(made.compared()), HasSubstr("no round is logged"));
}

TEST(RunsCharts, EightRunsWithTwoLinesEachHaveLabelsThatDoNotOverlap) {
  MadeRuns made;
  for (int i = 0; i < 8; ++i) {
    made.add("a-run-with-quite-a-long-name-" + std::to_string(i), 0.8, kPeople);
  }
  const std::string svg = main_picture(made.compared());
  std::vector<double> heights;
  const std::string label = "<text class=\"ink\" x=\"";
  for (std::size_t at = svg.find(label); at != svg.npos; at = svg.find(label, at + 1)) {
    heights.push_back(std::stod(svg.substr(svg.find(" y=\"", at) + 4)));
  }
  // Only labels were found, because the heading and the title of the panel have the attributes in another
  // order.
  ASSERT_EQ(heights.size(), 16U);
  std::ranges::sort(heights);
  for (std::size_t i = 1; i < heights.size(); ++i) EXPECT_GE(heights[i] - heights[i - 1], 15.8);
}

}  // namespace
}  // namespace muster::reporting
