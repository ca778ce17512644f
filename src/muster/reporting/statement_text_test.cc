// Compares table and JSON of a statement that is made by hand with literal texts. Values must be rounded
// outward, and lines must have at most 80 columns.
#include "muster/reporting/statement_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>

#include "muster/reporting/json.h"

namespace muster::reporting {
namespace {

using testing::HasSubstr;

TEST(Json, DoublesReadBackAndWhatIsNotFiniteIsNull) {
  EXPECT_EQ(JsonObject().number("a", 0.1).str(), R"({"a":0.10000000000000001})");
  EXPECT_EQ(JsonObject().number("a", std::nullopt).number("b", std::nan("")).str(), R"({"a":null,"b":null})");
  EXPECT_EQ(JsonObject().number("a", std::numeric_limits<double>::infinity()).str(), R"({"a":null})");
  EXPECT_EQ(JsonObject().number("a", 2).unsigned_integer("b", 18446744073709551615u).integer("c", -1).str(),
            R"({"a":2,"b":18446744073709551615,"c":-1})");
}

TEST(Json, TextIsEscapedAndBadBytesReplaced) {
  EXPECT_EQ(JsonObject().text("k", "a\"\\\n\x01").str(), R"({"k":"a\"\\\n\u0001"})");
  EXPECT_EQ(JsonObject().text("k", "\xff").str(), "{\"k\":\"\xEF\xBF\xBD\"}");
  EXPECT_EQ(JsonObject().texts("k", {}).objects("o", {JsonObject(), JsonObject()}).str(),
            R"({"k":[],"o":[{},{}]})");
}

accounting::Statement statement(accounting::Question::Kind kind) {
  accounting::Bound best;
  best.id = "first";
  best.validity = accounting::Validity::proven;
  best.upper = 1.2345678;
  best.lower = 1.1234567;
  best.assumptions = {"an assumption"};
  best.citation = "A theorem";
  accounting::Bound open = best;
  open.id = "second";
  open.upper = std::nullopt;
  open.lower = std::nullopt;
  return {.question = {kind, 0.5},
          .rounds = 3,
          .best = best,
          .local_upper = 7.0,
          .local_rounds = 3,
          .all = {best, open}};
}

TEST(StatementText, TheTableRoundsOutwardAndListsWhatItRestsOn) {
  const std::string table = statement_table(statement(accounting::Question::Kind::epsilon_at_delta));
  EXPECT_THAT(table, HasSubstr("bound on epsilon  upper    lower    validity  view\n"));
  EXPECT_THAT(table, HasSubstr("first             1.23457  1.12345  proven    shuffler-honest\n"));
  EXPECT_THAT(table, HasSubstr("second            none     -        proven    shuffler-honest\n"));
  EXPECT_THAT(table, HasSubstr("\nfirst (best; replace-one)\n  A theorem\n"));
  EXPECT_THAT(table, HasSubstr("\nsecond (replace-one)\n  A theorem\n"));
}

TEST(StatementText, WhatEveryBoundAssumesIsSaidOnce) {
  accounting::Statement both = statement(accounting::Question::Kind::epsilon_at_delta);
  both.all.back().assumptions.insert(both.all.back().assumptions.begin(), "its own");
  EXPECT_THAT(
      statement_table(both),
      HasSubstr("second (replace-one)\n  A theorem\n  - its own\n\nevery bound\n  - an assumption\n"));
  both.all.pop_back();
  EXPECT_THAT(statement_table(both),
              HasSubstr("first (best; replace-one)\n  A theorem\n  - an assumption\n"));
}

TEST(StatementText, ErrorAndTimeStandInTheNotes) {
  accounting::Statement timed = statement(accounting::Question::Kind::epsilon_at_delta);
  timed.all.front().seconds = 0.01234;
  timed.all.front().numerical_error = 1.23e-5;
  EXPECT_THAT(statement_table(timed), HasSubstr("(best; replace-one; numerical error 1.2e-05, included)\n"));
  EXPECT_THAT(statement_table(timed, true), HasSubstr("numerical error 1.2e-05, included; took 12.3 ms)\n"));
  EXPECT_THAT(statement_json(timed).str(), HasSubstr(R"("seconds":0.0123)"));
}

TEST(StatementText, NoLineIsWiderThanEightyColumnsAndNothingIsLost) {
  accounting::Statement wide = statement(accounting::Question::Kind::delta_at_epsilon);
  accounting::Bound& last = wide.all.back();
  last.id = "a-paper-of-four-authors-theorem-12-3-printed-exact";
  last.upper = 1.23456789e-200;
  last.lower = 1.2345678e-200;
  last.validity = accounting::Validity::as_published;
  last.view = accounting::View::shuffler_colludes;
  last.citation =
      "A long title of a long paper, by several authors, in the proceedings of a conference, 2021";
  last.assumptions = {
      "an assumption that says at some length who keeps which coin secret, and from whom it does"};
  const std::string table = statement_table(wide, true);
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80) << line;
  }
  EXPECT_THAT(table,
              HasSubstr("a-paper-of-four-authors-theorem-12-3-printed-exact  1.23457e-200  1.23456e-200\n"));
  EXPECT_THAT(table,
              HasSubstr("a-paper-of-four-authors-theorem-12-3-printed-exact (as-published; replace-one;\n"
                        "  shuffler-colludes; took 0.0 ms)\n"));
  EXPECT_THAT(table,
              HasSubstr("\n  A long title of a long paper, by several authors, in the proceedings of a\n"
                        "  conference, 2021\n"));
  EXPECT_THAT(table, HasSubstr("\n    whom it does\n"));
  last.id = "a-paper-of-four-authors-theorem-12-3";
  EXPECT_THAT(statement_table(wide),
              HasSubstr("a-paper-of-four-authors-theorem-12-3  1.23457e-200  1.23456e-200  as-published\n"));
}

TEST(StatementText, AskedForDeltaTheSidesMove) {
  const std::string json = statement_json(statement(accounting::Question::Kind::delta_at_epsilon)).str();
  EXPECT_THAT(json, testing::StartsWith(R"({"epsilon":0.5,"delta":{"upper":1.2345)"));
  EXPECT_THAT(json, HasSubstr(R"("local":{"epsilon":0.5,"delta":7,"rounds":3})"));
  EXPECT_THAT(json, HasSubstr(R"("delta":{"upper":null,"lower":null})"));
}

}  // namespace
}  // namespace muster::reporting
