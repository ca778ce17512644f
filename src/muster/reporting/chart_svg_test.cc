// Checks scales, ticks and the path of lines with gaps against values computed by hand, and that words are
// escaped.
#include "muster/reporting/chart_svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>

namespace muster::reporting {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

TEST(ChartSvg, LinearTicksAreRoundAndFew) {
  EXPECT_THAT(Scale::linear(0, 700, 0, 100).ticks(8), ElementsAre(0, 100, 200, 300, 400, 500, 600, 700));
  EXPECT_THAT(Scale::linear(-1, 1, 0, 100).ticks(5), ElementsAre(-1, -0.5, 0, 0.5, 1));
  for (double high = 1e-7; high < 1e12; high *= 3.7) {
    for (const std::size_t most : {3u, 5u, 9u}) {
      const std::vector<double> ticks = Scale::linear(0.3 * high, high, 0, 100).ticks(most);
      EXPECT_GE(ticks.size(), 1u) << high;
      EXPECT_LE(ticks.size(), most) << high;
      for (const double tick : ticks) {
        EXPECT_GE(tick, 0.3 * high * (1 - 1e-9));
        EXPECT_LE(tick, high * (1 + 1e-9));
      }
    }
  }
}

TEST(ChartSvg, ARangeOfRoundingErrorsHasFewTicks) {
  // Three equal accuracies and their mean in floating point: a picture of them filled the memory with ticks.
  const double value = 0.1, mean = 0.10000000000000002;
  for (const Scale& scale : {Scale::around(value, mean, 0, 100), Scale::linear(value, mean, 0, 100),
                             Scale::linear(1e300, std::nextafter(1e300, 2e300), 0, 100),
                             Scale::linear(0, std::numeric_limits<double>::denorm_min(), 0, 100)}) {
    EXPECT_LE(scale.ticks(9).size(), 9u);
  }
  const Scale around = Scale::around(value, mean, 0, 100);
  EXPECT_LT(around.low(), 0.095);
  EXPECT_GT(around.high(), 0.105);
}

TEST(ChartSvg, TicksOfACountAreWholeNumbers) {
  EXPECT_THAT(Scale::whole_numbers(1, 4, 0, 100).ticks(20), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Scale::whole_numbers(0, 700, 0, 100).ticks(8), Scale::linear(0, 700, 0, 100).ticks(8));
}

TEST(ChartSvg, AScaleAroundValuesHoldsThemAndIsNeverEmpty) {
  for (const auto& [low, high] :
       {std::pair{5638.0, 6368.0}, {0.0, 0.0}, {7.0, 7.0}, {-3.0, 0.001}, {1e9, 1e9 + 1}}) {
    const Scale scale = Scale::around(low, high, 300, 0);
    EXPECT_LE(scale.low(), low);
    EXPECT_GE(scale.high(), high);
    EXPECT_LT(scale.low(), scale.high());
    EXPECT_DOUBLE_EQ(scale.at(scale.low()), 300);
    EXPECT_NEAR(scale.at(scale.high()), 0, 1e-9);
  }
}

TEST(ChartSvg, TicksReadAsAPersonWritesThem) {
  const Scale linear = Scale::linear(0, 0.6, 0, 1), far = Scale::linear(0, 3e6, 0, 1);
  EXPECT_EQ(linear.tick_text(0.1 + 0.2), "0.3");
  EXPECT_EQ(linear.tick_text(-1e-17), "0");
  EXPECT_EQ(far.tick_text(2.5e6), "2.5 M");
  EXPECT_EQ(Scale::logarithmic(1e-10, 1, 0, 1).tick_text(2e-5), "2e-5");
}

TEST(ChartSvg, GapsBreakALine) {
  ChartPanel panel(Scale::linear(0, 4, 0, 400), Scale::linear(0, 1, 100, 0), "title", "x");
  panel.line({{0, 0}, {1, 1}, {2, kGap}, {3, 1}, {4, 0}}, kFirst);
  EXPECT_THAT(panel.svg(), HasSubstr("d=\"M0.0,100.0 L100.0,0.0 M300.0,0.0 L400.0,100.0 \""));
  panel.band({{0, 1}, {1, 1}, {2, kGap}, {3, 1}, {4, 1}}, {{0, 0}, {1, 0.5}, {2, 0}, {3, kGap}, {4, 0.5}},
             kSecond);
  EXPECT_THAT(panel.svg(), HasSubstr("d=\"M0.0,0.0 L100.0,0.0 L100.0,50.0 L0.0,100.0 Z"
                                     "M300.0,0.0 L400.0,0.0 L400.0,50.0 L300.0,100.0 Z\""));
  panel.band({{0, kGap}, {1, kGap}}, {{0, 0}, {1, 0}}, kSecond);
  EXPECT_THAT(panel.svg(), HasSubstr("d=\"\""));
  EXPECT_THAT(panel.svg(), Not(HasSubstr("nan")));
}

TEST(ChartSvg, ALineOfOnePointIsADot) {
  ChartPanel panel(Scale::linear(0, 4, 0, 400), Scale::linear(0, 1, 100, 0), "title", "x");
  panel.line({{0, 0}, {1, 1}}, kFirst);
  panel.line({{0, kGap}}, kFirst);
  EXPECT_THAT(panel.svg(), Not(HasSubstr("<circle ")));
  panel.line({{1, kGap}, {2, 0.25}}, kFirst);
  EXPECT_THAT(panel.svg(), HasSubstr("<circle class=\"c1-dot\" cx=\"200.0\" cy=\"75.0\""));
}

TEST(ChartSvg, EachMarkHasAShapeOfItsOwn) {
  std::set<std::string> shapes;
  for (std::size_t i = 0; i < kMarkShapes; ++i) {
    const std::string svg = mark_svg({50, 50}, static_cast<MarkShape>(i), kFirst, 4);
    EXPECT_THAT(svg, HasSubstr(" stroke=\"#0b5fa5\""));
    shapes.insert(svg);
  }
  EXPECT_EQ(shapes.size(), kMarkShapes);
  ChartPanel panel(Scale::linear(0, 4, 0, 400), Scale::linear(0, 1, 100, 0), "title", "x");
  panel.mark({2, 0.25}, MarkShape::ring, kFirst, 4);
  EXPECT_THAT(panel.svg(), HasSubstr("cx=\"200.0\" cy=\"75.0\" r=\"4.0\""));
}

TEST(ChartSvg, ALegendShowsDotsAsDots) {
  const std::string line = legend_row({{"a line", kFirst}}, {0, 20}),
                    dots = legend_row({{"dots", kFirst, true}}, {0, 20});
  EXPECT_THAT(line, HasSubstr("<line "));
  EXPECT_THAT(line, Not(HasSubstr("<circle ")));
  EXPECT_THAT(dots, HasSubstr("<circle cx=\"15.0\" cy=\"20.0\""));
  EXPECT_THAT(dots, Not(HasSubstr("<line ")));
}

TEST(ChartSvg, WordsAreEscaped) {
  EXPECT_EQ(escaped("<a href=\"x\">'&'</a>\x01"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;\uFFFD");
  EXPECT_EQ(escaped("\u00fc\t\n\xff\xc3"), "\u00fc\t\n\uFFFD\uFFFD");
  const std::string svg = svg_picture({10, 10}, "<script>", "", PictureFor::page);
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
  EXPECT_THAT(svg, Not(HasSubstr("http")));
}

}  // namespace
}  // namespace muster::reporting
