// Reads table, JSON, CSV and picture of a comparison that is made by hand: all must show the same rows, and
// the table must round epsilons outward.
#include "muster/reporting/comparison_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "muster/plan/source.h"
#include "muster/reporting/line_inks.h"
#include "muster/reporting/text_layout.h"

namespace muster::reporting {
namespace {

using comparison::Comparison;
using comparison::Row;
using comparison::Solves;
using testing::HasSubstr;

Row answered(const std::string& protocol, const std::string& randomizer) {
  Row row;
  row.protocol = protocol;
  row.randomizer = randomizer;
  row.knob = "epsilon0";
  row.value = 2.5;
  row.rate = 0.125;
  row.bound = accounting::Bound{};
  row.bound->id = "class-c";
  row.bound->validity = accounting::Validity::proven;
  row.bound->upper = 0.99999949;
  row.bound->lower = 0.99123449;
  row.trusted = "the shuffler";
  row.variance = 0.000363;
  row.bits = 129;
  row.messages = 6e6;
  return row;
}

Comparison some(Solves solves = Solves::noise) {
  Comparison all;
  all.target = {.epsilon = 1, .delta = 1e-5};
  all.solves = solves;
  all.clients = 60000;
  all.rounds = 1000;
  all.rows = {answered("random-check-in-averaged", "ldp-sgd"), answered("random-check-in-averaged", "l1"),
              answered("shuffle", "l1")};
  Row& none = all.rows[1];
  none.bound.reset();
  none.why_not = "--epsilon 1e-12 is out of reach";
  none.variance.reset();
  none.bits.reset();
  all.left_out = {{"subset", "needs a"}, {"k-rr", "needs b"}, {"slots", "needs a"}};
  return all;
}

simulation::SweptRun run(const std::string& folder, double accuracy) {
  simulation::SweptRun run{folder, simulation::RunResult{}, ""};
  run.result->accuracy = accuracy;
  run.result->seconds = 2;
  return run;
}

Row central(accounting::Neighbouring neighbouring, double variance) {
  Row row = answered("central", "gaussian");
  row.bound->neighbouring = neighbouring;
  row.variance = variance;
  return row;
}

// Returns the comparison after training with two seeds. With `shuffle`, the second seed has diverged. The
// references are the two rows of `central`.
Comparison trained() {
  Comparison all = some();
  all.references = {central(accounting::Neighbouring::replace_one, 0.0002),
                    central(accounting::Neighbouring::add_remove, 0.0001)};
  all.training = comparison::Training{"runs/a", 7, 2, false};
  const protocols::Plan plan = protocols::Plan::validate(
      protocols::PlanSource::from_text("[population]\nclients = 4\n[participation]\nprotocol = 'shuffle'\n"
                                       "[randomizer]\nkind = 'l1'\nepsilon0 = 2\n[rounds]\ncount = 5\n",
                                       "a.toml"),
      protocols::Command::account);
  all.rows[0].plan = plan;
  all.rows[2].plan = plan;
  all.rows[0].runs = {run("a-1", 0.5), run("a-2", 0.75)};
  all.rows[2].runs = {run("b-1", 0.25), {"b-2", std::nullopt, "diverged in round 3"}};
  return all;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

TEST(ComparisonText, TheTableGroupsByProtocolAndRoundsOutward) {
  const std::string table = comparison_table(some());
  EXPECT_THAT(table, HasSubstr("random-check-in-averaged: view shuffler-honest; trusts the shuffler\n"));
  EXPECT_THAT(table, testing::ContainsRegex("  ldp-sgd +2.5 +1 +0.991234 +0.000363 +129 +6e\\+06"));
  EXPECT_THAT(table, testing::ContainsRegex("  l1 +- +- +- "));
  EXPECT_THAT(table, HasSubstr("random-check-in-averaged with l1: --epsilon 1e-12 is out of reach"));
}

TEST(ComparisonText, LinesHaveAtMost80Characters) {
  for (const Solves solves : {Solves::noise, Solves::accuracy}) {
    Comparison all = some(solves);
    all.rows[0].value = 0.123456;
    all.rows[0].rate = 0.999876;
    all.rows[0].variance = 1.23e-10;
    all.rows[0].bits = 12345678;
    std::istringstream lines(comparison_table(all));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), kTextWidth) << line;
  }
}

TEST(ComparisonText, JsonAndCsvSayTheSame) {
  const Comparison all = some();
  const auto json = nlohmann::json::parse(comparison_json(all).str());
  EXPECT_EQ(json["rows"].size(), 3U);
  EXPECT_EQ(json["rows"][0]["epsilon"]["upper"], 0.99999949);
  EXPECT_TRUE(json["rows"][1]["epsilon"]["upper"].is_null());
  EXPECT_TRUE(json["rows"][1]["bits"].is_null());
  EXPECT_EQ(json["left_out"][1]["name"], "k-rr");
  std::istringstream lines(comparison_csv(all));
  std::string head;
  std::getline(lines, head);
  const auto commas = std::count(head.begin(), head.end(), ',');
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), commas) << line;
  }
  EXPECT_EQ(count, 3U);
  EXPECT_THAT(comparison_csv(all), HasSubstr("shuffle,l1,epsilon0,2.5,0.125,0.9999994"));
}

TEST(ComparisonText, ThePictureHasADotForEachVariance) {
  const std::string picture = comparison_svg(some());
  EXPECT_EQ(count(picture, "<circle"), 2U);
  EXPECT_THAT(picture, HasSubstr(">averaged<"));
  EXPECT_THAT(picture, HasSubstr("prefers-color-scheme:dark"));
  EXPECT_THAT(picture, testing::AllOf(HasSubstr(kLineInks[0].light), HasSubstr(kLineInks[0].dark)));
  EXPECT_THAT(picture, testing::Not(HasSubstr("nan")));
  EXPECT_THAT(comparison_svg(Comparison{}), HasSubstr("nothing has a variance"));
}

// Both rows have the same protocol, randomizer and nearly the same variance.
TEST(ComparisonText, TheRowsOfCentralHaveColumnsOfTheirOwn) {
  const std::string picture = comparison_svg(trained());
  EXPECT_THAT(picture, HasSubstr(">replace-one<"));
  EXPECT_THAT(picture, HasSubstr(">add-remove<"));
  std::set<std::string> places;
  for (std::size_t at = 0; (at = picture.find("cx=\"", at)) != std::string::npos; ++at) {
    places.insert(picture.substr(at, picture.find('"', at + 4) - at));
  }
  EXPECT_EQ(places.size(), 4U);  // two protocols with a variance, and `central` twice
}

TEST(ComparisonText, TrainedRowsAreDrawnWithTheirSpread) {
  const Comparison all = trained();
  const std::string picture = comparison_svg(all);
  EXPECT_EQ(count(picture, "<circle"), 4U + 2U);
  EXPECT_EQ(count(picture, "<path"), 1U);  // a whisker for the row with two finished seeds
  EXPECT_THAT(picture, HasSubstr("accuracy on the test set"));
  EXPECT_THAT(comparison_svg(some()), testing::Not(HasSubstr("accuracy")));
}

TEST(ComparisonText, TheTableOfAccuracyHasTheRowsWithRuns) {
  const std::string table = accuracy_table(trained());
  EXPECT_THAT(table, HasSubstr("           accuracy  lowest  highest  seeds   time a run\n"
                               "random-check-in-averaged\n"
                               "  ldp-sgd  0.6250    0.5000  0.7500   2 of 2  2 s\n"
                               "shuffle\n"
                               "  l1       0.2500    0.2500  0.2500   1 of 2  2 s\n"));
  EXPECT_THAT(table, HasSubstr("folder    runs/a\n"));
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), kTextWidth) << line;
  Comparison none = some();
  none.training = comparison::Training{};
  EXPECT_THAT(accuracy_table(none), HasSubstr("nothing is trained"));
}

TEST(ComparisonText, JsonAndCsvHaveTheAccuracyOfTrainedRows) {
  const Comparison all = trained();
  const auto json = nlohmann::json::parse(comparison_json(all).str());
  EXPECT_EQ(json["rows"][0]["accuracy"], nlohmann::json::parse(R"({"mean":0.625,"min":0.5,"max":0.75})"));
  EXPECT_EQ(json["rows"][0]["runs"], nlohmann::json::parse(R"(["a-1","a-2"])"));
  EXPECT_EQ(json["rows"][0]["why_no_accuracy"], "");
  EXPECT_TRUE(json["rows"][1]["accuracy"]["mean"].is_null());
  EXPECT_EQ(json["rows"][1]["why_no_accuracy"], "--epsilon 1e-12 is out of reach");
  EXPECT_EQ(json["rows"][2]["finished"], 1);
  EXPECT_EQ(json["rows"][2]["failed"], 1);
  EXPECT_EQ(json["rows"][2]["why_no_accuracy"], "diverged in round 3");
  EXPECT_TRUE(json["references"][0]["accuracy"]["mean"].is_null());
  EXPECT_THAT(std::string(json["references"][0]["why_no_accuracy"]), HasSubstr("no plan"));
  EXPECT_EQ(json["first_seed"], 7);
  EXPECT_EQ(json["runs"], 4);
  EXPECT_EQ(json["finished"], 3);
  EXPECT_EQ(json["failed"], 1);
  EXPECT_EQ(json["out"], "runs/a");
  EXPECT_FALSE(nlohmann::json::parse(comparison_json(some()).str())["rows"][0].contains("accuracy"));
  const std::string csv = comparison_csv(all);
  EXPECT_THAT(csv, HasSubstr(",messages,accuracy_mean,accuracy_min,accuracy_max,finished\n"));
  EXPECT_THAT(csv, HasSubstr(",6000000,0.625,0.5,0.75,2\n"));
  EXPECT_THAT(csv, HasSubstr(",the shuffler,,,,,,,0\n"));
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) EXPECT_EQ(std::count(line.begin(), line.end(), ','), 18);
}

TEST(ComparisonText, NotesJoinWhatHasOneReason) {
  EXPECT_THAT(left_out_notes(some()),
              testing::ElementsAre("not compared: subset, slots: needs a", "not compared: k-rr: needs b"));
}

}  // namespace
}  // namespace muster::reporting
