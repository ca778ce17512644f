#include "muster/reporting/comparison_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

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
  std::size_t dots = 0;
  for (std::size_t at = 0; (at = picture.find("<circle", at)) != std::string::npos; ++at) ++dots;
  EXPECT_EQ(dots, 2U);
  EXPECT_THAT(picture, HasSubstr(">averaged<"));
  EXPECT_THAT(picture, HasSubstr("prefers-color-scheme:dark"));
  EXPECT_THAT(picture, testing::Not(HasSubstr("nan")));
  EXPECT_THAT(comparison_svg(Comparison{}), HasSubstr("nothing has a variance"));
}

TEST(ComparisonText, NotesJoinWhatHasOneReason) {
  EXPECT_THAT(left_out_notes(some()),
              testing::ElementsAre("not compared: subset, slots: needs a", "not compared: k-rr: needs b"));
}

}  // namespace
}  // namespace muster::reporting
