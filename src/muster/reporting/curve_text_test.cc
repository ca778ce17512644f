// Compares the table and the CSV of a small curve with literal texts, and checks that pictures are well-
// formed whatever the values are.
#include "muster/reporting/curve_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"

namespace muster::reporting {
namespace {

using accounting::PrivacyCurves;
using accounting::Question;
using testing::HasSubstr;
using testing::StartsWith;

PrivacyCurves curves() {
  return {.question = {Question::Kind::epsilon_at_delta, 1e-6},
          .rounds = 100,
          .view = accounting::View::shuffler_honest,
          .neighbouring = accounting::Neighbouring::replace_one,
          .by_fixed = {{100, 1e-7, 1.2345678, 0.9, 50.0},
                       {100, 1e-6, 1.1, 0.8, 49.0},
                       {100, 1e-5, std::nullopt, std::nullopt, std::nullopt}},
          .by_rounds = {{1, 1e-6, 0.1, 0.0, 2.0}, {100, 1e-6, 1.1, 0.8, 49.0}}};
}

TEST(CurveText, TheTableRoundsOutward) {
  const std::string text = curve_text(curves(), CurveFormat::table, "what was asked");
  EXPECT_THAT(text, StartsWith("what was asked; proven; replace-one; shuffler-honest\n\nover delta\n"));
  EXPECT_THAT(text, HasSubstr("delta  epsilon upper  lower  if nobody else is trusted\n"));
  EXPECT_THAT(text, HasSubstr("1e-07  1.23457        0.9    50\n"));
  EXPECT_THAT(text, HasSubstr("1e-05  none           -      none\n"));
  EXPECT_THAT(text, HasSubstr("over rounds\nrounds"));
}

TEST(CurveText, CsvHasOneLineAPointAndEmptyCellsForNone) {
  EXPECT_EQ(curve_text(curves(), CurveFormat::csv, ""),
            "curve,rounds,delta,epsilon_upper,epsilon_lower,epsilon_local\n"
            "delta,100,9.9999999999999995e-08,1.2345678,0.90000000000000002,50\n"
            "delta,100,9.9999999999999995e-07,1.1000000000000001,0.80000000000000004,49\n"
            "delta,100,1.0000000000000001e-05,,,\n"
            "rounds,1,9.9999999999999995e-07,0.10000000000000001,0,2\n"
            "rounds,100,9.9999999999999995e-07,1.1000000000000001,0.80000000000000004,49\n");
  PrivacyCurves asks_delta = curves();
  asks_delta.question = {Question::Kind::delta_at_epsilon, 1};
  EXPECT_THAT(curve_text(asks_delta, CurveFormat::csv, ""),
              StartsWith("curve,rounds,epsilon,delta_upper,delta_lower,delta_local\nepsilon,"));
}

// Expects one <svg> element without "nan" and "inf" in which every text and title element is closed.
void expect_well_formed(const std::string& svg) {
  EXPECT_THAT(svg, StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_THAT(svg, testing::EndsWith("</svg>\n"));
  EXPECT_THAT(svg, testing::Not(HasSubstr("nan")));
  EXPECT_THAT(svg, testing::Not(HasSubstr("inf")));
  for (const char* tag : {"text", "title"}) {
    const auto count = [&svg](const std::string& word) {
      std::size_t found = 0;
      for (std::size_t at = svg.find(word); at != svg.npos; at = svg.find(word, at + 1)) {
        ++found;
      }
      return found;
    };
    EXPECT_EQ(count(std::string("<") + tag), count(std::string("</") + tag + ">")) << tag;
  }
}

TEST(CurveText, ThePictureIsWholeAndEscapesItsHeading) {
  const std::string svg = curve_text(curves(), CurveFormat::svg, "a < b & c");
  expect_well_formed(svg);
  EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; c"));
  EXPECT_THAT(svg, HasSubstr(">upper: proven; replace-one; shuffler-honest</text>"));
  EXPECT_THAT(svg, HasSubstr(">1.1</text>"));
  EXPECT_THAT(svg, HasSubstr("if nobody else is trusted"));
}

TEST(CurveText, APictureOfNearlyNothingIsStillWhole) {
  PrivacyCurves one = {.question = {Question::Kind::delta_at_epsilon, 0},
                       .rounds = 1,
                       .view = accounting::View::shuffler_honest,
                       .neighbouring = accounting::Neighbouring::replace_one,
                       .by_fixed = {{1, 0, 0.0, 0.0, 0.0}},
                       .by_rounds = {{1, 0, 0.0, 0.0, 0.0}}};
  expect_well_formed(curve_svg(one, "nothing"));
  one.by_fixed = {{1, 0, 0.2, 0.1, 0.3}};
  expect_well_formed(curve_svg(one, "epsilon 0"));
  one.by_fixed = {{1, 1e-300, std::nullopt, std::nullopt, std::nullopt}};
  expect_well_formed(curve_svg(one, "none"));
  one.by_fixed = {{1, 1, 1e-300, 0.0, 1.0}, {1, 2, 1e-38, 0.0, 1.0}};
  expect_well_formed(curve_svg(one, "far apart"));
}

TEST(CurveText, TicksOfOneDecadeAreTold) {
  PrivacyCurves small = curves();
  small.by_fixed = {{1, 1e-7, 0.006, 0.001, 0.006}, {1, 1e-6, 0.0011, 0.001, 0.006}};
  EXPECT_THAT(curve_svg(small, "small"), HasSubstr(">5e-3</text>"));
  EXPECT_THAT(curve_svg(small, "small"), HasSubstr(">2e-3</text>"));
}

TEST(CurveText, FormatsAreNamed) {
  EXPECT_EQ(curve_format_named("csv"), CurveFormat::csv);
  EXPECT_ERROR(ErrorCode::usage, curve_format_named("png"));
}

}  // namespace
}  // namespace muster::reporting
