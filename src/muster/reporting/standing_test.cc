// Checks that the status page and the JSON object of a deployment's task show the same figures, and that the
// page is safe.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "muster/reporting/chart_svg.h"
#include "muster/reporting/page_parts.h"
#include "muster/reporting/standing_charts.h"
#include "muster/reporting/task_standing.h"

namespace muster::reporting {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr double kEpsilon = 1.99990001;  // rounded to nearest, its four-digit text would be below it

NamedCounts uploads(std::uint64_t first) {
  return {{"length", first},    {"version", first + 1},  {"layer", first + 2},
          {"token", first + 3}, {"repeated", first + 4}, {"late", first + 5}};
}

// Returns a task of which four rounds have ended and the fifth is open. The first round was released and the
// second is void. The third was charged as lost, without the shuffler's word, and the fourth was spent.
TaskStanding made_standing() {
  TaskStanding now;
  now.name = "digits";
  now.task = std::string(64, 'a');
  now.plan = std::string(64, 'b');
  now.state = "open";
  now.reason = "round 5 is open";
  now.seconds = 600;
  now.rounds = {1, 2, 1, 5, 6, 8};
  now.epsilon_upper = kEpsilon;
  now.epsilon_lower = 0.25;
  now.epsilon_planned = 2.5;
  now.local = 31.25;
  now.local_rounds = 5;
  now.delta = 1e-5;
  now.validity = "proven";
  now.neighbouring = "replace-one";
  now.view = "shuffler-honest";
  now.bound = "swap-profile";
  now.assumptions = {"coins are secret", "12 clients are honest"};
  now.population = {{3.5, 2e-5}, {4, 3e-5}};
  now.needed = 12;
  now.enrolled = 13;
  now.past = {{.round = 1,
               .outcome = "released",
               .epsilon = 0.5,
               .local = 6.5,
               .counted = StandingRound::Counted{12, 6, protocols::CountBand{1, 11}, uploads(1)},
               .accuracy = 0.75},
              {.round = 2,
               .outcome = "void",
               .epsilon = 0.5,
               .local = 13,
               .counted = StandingRound::Counted{9, 0, std::nullopt, uploads(10)}},
              {.round = 3, .outcome = "spent", .reason = "lost", .epsilon = 1.2, .local = 20},
              {.round = 4,
               .outcome = "spent",
               .reason = "duplicate",
               .epsilon = kEpsilon,
               .local = 26,
               .counted = StandingRound::Counted{13, 7, protocols::CountBand{2, 12}, uploads(20)}}};
  now.uploads = uploads(100);
  now.reports = {{"sealed", 31}, {"length", 32}, {"sign", 33}, {"range", 34}, {"padding", 35}};
  return now;
}

// Returns what stands on the page in the element with this id.
std::string element(const std::string& html, const std::string& id) {
  const std::string begin = fmt::format("<span id=\"{}\">", id);
  const std::size_t at = html.find(begin);
  if (at == html.npos) return "absent: " + id;
  EXPECT_EQ(html.find(begin, at + 1), html.npos) << id << " is there twice";
  return html.substr(at + begin.size(), html.find("</span>", at) - at - begin.size());
}

// Expects every value of the JSON object to stand on the page.
void expect_same(const TaskStanding& now) {
  const std::string html = standing_html(now);
  const auto flat = nlohmann::json::parse(standing_json(now).str()).flatten();
  for (const auto& [pointer, value] : flat.items()) {
    std::string id = pointer.substr(1);
    std::ranges::replace(id, '/', '.');
    if (value.is_number()) {
      EXPECT_THAT(element(html, id), HasSubstr(fmt::format("<data value=\"{:.17g}\">", value.get<double>())))
          << id;
    } else if (value.is_string()) {
      EXPECT_EQ(element(html, id), escaped(value.get<std::string>())) << id;
    } else if (value.is_null()) {
      EXPECT_THAT(element(html, id), AllOf(Not(HasSubstr("<data")), Not(HasSubstr("absent")))) << id;
    }
  }
}

TEST(Standing, EveryValueOfTheObjectStandsOnThePage) {
  expect_same(made_standing());
  TaskStanding less = made_standing();
  less.enrolled.reset();
  less.population.reset();
  less.past.resize(2);  // the last one is void
  expect_same(less);
  less.past.clear();
  less.epsilon_upper = less.epsilon_lower = less.local = std::nullopt;
  expect_same(less);
  less.alarm = "round 3: too few check-ins";
  expect_same(less);
}

TEST(Standing, TheObjectHasTheRoundThatEndedLastWithItsManifest) {
  const auto json = nlohmann::json::parse(standing_json(made_standing()).str());
  EXPECT_EQ(json["last"]["round"], 4);
  EXPECT_EQ(json["last"]["band"], (nlohmann::json{2, 12}));
  EXPECT_EQ(json["last"]["rejected"]["late"], 25);
  EXPECT_EQ(json["accuracy"], 0.75);
  EXPECT_EQ(json["rounds"]["void"], 1);
  EXPECT_TRUE(json["alarm"].is_null());
}

TEST(Standing, EpsilonsAreRoundedUpAndNeverAlone) {
  const std::string html = standing_html(made_standing());
  EXPECT_EQ(element(html, "epsilon.upper"), fmt::format("<data value=\"{:.17g}\">2.0000</data>", kEpsilon));
  EXPECT_THAT(html, HasSubstr("epsilon of the rounds charged, at delta <span id=\"delta\">"));
  EXPECT_THAT(html,
              HasSubstr("view <span id=\"view\">shuffler-honest</span> (shuffler and aggregator do not "));
  EXPECT_THAT(html,
              HasSubstr("proven, replace-one, view shuffler-colludes (shuffler and aggregator collude)"));
  EXPECT_THAT(html, HasSubstr("<th>epsilon</th><th>delta</th><th>validity</th><th>view</th>"));
}

TEST(Standing, AVoidRoundHasNoCheckInsAndALostOneNoCounts) {
  const std::string html = standing_html(made_standing());
  const std::string none = "<td class=\"n\">-</td>";
  EXPECT_THAT(html, HasSubstr("<td>void</td><td class=\"n\"><data value=\"9\">9</data></td>" + none + none));
  EXPECT_THAT(html, HasSubstr("<td>spent: lost</td>" + none + none + none + none));
}

TEST(Standing, TextFromOutsideIsEscaped) {
  TaskStanding now = made_standing();
  const std::string evil = "<img src=x>&\"'\xff";
  now.name = now.task = now.plan = now.state = now.reason = now.validity = now.neighbouring = now.view =
      now.bound = evil;
  now.assumptions = {evil};
  now.alarm = evil;
  now.past.front().outcome = now.past.front().reason = evil;
  now.uploads.front().first = now.reports.front().first = evil;
  const std::string html = standing_html(now);
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, Not(HasSubstr("\xff")));
  EXPECT_THAT(html, HasSubstr("&lt;img src=x&gt;&amp;&quot;&#39;"));
}

TEST(Standing, ThePageLoadsNothingAndItsStyleIsTheOneThatIsAllowed) {
  const std::string html = standing_html(made_standing());
  for (const char* foreign : {"http:", "https:", "//", "<script", "<img", "<link", "url(", "@import",
                              " style=\"", " src=", " onload"}) {
    EXPECT_THAT(html, Not(HasSubstr(foreign))) << foreign;
  }
  EXPECT_THAT(html, HasSubstr("<style>" + standing_style() + "</style>"));
  EXPECT_EQ(standing_style().find("</"), std::string::npos);
  EXPECT_FALSE(page::is_report(html));  // `muster report` never writes over it
}

TEST(Standing, ThePageLoadsItselfAgainWhileTheTaskRuns) {
  TaskStanding now = made_standing();
  const auto refresh = [&](const char* seconds) {
    return HasSubstr(fmt::format("<meta http-equiv=\"refresh\" content=\"{}\">", seconds));
  };
  EXPECT_THAT(standing_html(now), refresh("60"));
  now.seconds = 100;
  EXPECT_THAT(standing_html(now), refresh("10"));
  now.seconds = 1;
  EXPECT_THAT(standing_html(now), refresh("2"));
  now.is_over = true;
  EXPECT_THAT(standing_html(now), Not(HasSubstr("http-equiv")));
}

TEST(Standing, ASeededTaskIsSaidToProtectNobody) {
  TaskStanding now = made_standing();
  EXPECT_THAT(standing_html(now), Not(HasSubstr("protects nobody")));
  now.is_seeded = true;
  EXPECT_THAT(standing_html(now), HasSubstr("<p class=\"flag bad\"><b>This task protects nobody.</b>"));
}

TEST(Standing, ChartsBeginWithTheFirstRound) {
  TaskStanding now = made_standing();
  for (const auto& chart : {accuracy_chart, epsilon_chart, heard_chart, check_ins_chart}) {
    EXPECT_THAT(chart(now), HasSubstr("</svg>"));
    EXPECT_THAT(chart(now), Not(HasSubstr("nan")));
  }
  now.past.resize(1);
  for (const auto& chart : {accuracy_chart, epsilon_chart, heard_chart, check_ins_chart}) {
    EXPECT_THAT(chart(now), Not(HasSubstr("nan")));
  }
  EXPECT_THAT(epsilon_chart(now), HasSubstr(">0.5</text>"));
  EXPECT_THAT(epsilon_chart(now), HasSubstr(">6.5000</text>"));
  // A task may begin with a void round: nothing was charged, and no check-in is known.
  now.past = {made_standing().past[1]};
  now.past.front().epsilon = 0;
  EXPECT_EQ(accuracy_chart(now) + check_ins_chart(now), "");
  EXPECT_THAT(epsilon_chart(now), HasSubstr("collusion"));
  EXPECT_THAT(heard_chart(now), HasSubstr("devices heard"));
  now.past.front().local = std::numeric_limits<double>::infinity();
  EXPECT_EQ(epsilon_chart(now), "");
  EXPECT_THAT(standing_html(now), HasSubstr("<td class=\"n\">none</td>"));
}

TEST(Standing, ALongTaskHasItsNewestRoundsFirst) {
  TaskStanding now = made_standing();
  const StandingRound one = now.past.front();
  now.past.clear();
  for (std::uint64_t round = 1; round <= 3000; ++round) {
    now.past.push_back(one);
    now.past.back().round = round;
  }
  const std::string html = standing_html(now);
  EXPECT_LT(html.find("<tr><td class=\"n\"><data value=\"3000\">"),
            html.find("<tr><td class=\"n\"><data value=\"2999\">"));
  EXPECT_THAT(html, HasSubstr("<summary>the 2000 rounds before</summary>"));
  EXPECT_THAT(html, Not(HasSubstr("<tr><td class=\"n\"><data value=\"988\">")));
}

}  // namespace
}  // namespace muster::reporting
