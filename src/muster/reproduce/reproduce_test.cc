// Tests the papers' texts, the list of recipes, and the files of a figure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/reproduce/figure_files.h"
#include "muster/reproduce/figure_svg.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/recipes.h"
#include "muster/reproduce/svg_raster.h"
#include "tests/support/temporary_folder.h"

namespace muster::reproduce {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

FigureText text_of_test() {
  return {.id = "009-figure-1",
          .paper = "Somebody, \"A title & more\", 2022",
          .caption = "",
          .where = "Section 1",
          .trains = false,
          .unstated = {"delta"},
          .claims = {{"009-figure-1-claim", "it \"falls\"", "whether it falls", ""}}};
}

PaperFigure figure_of_test() {
  PaperFigure figure;
  figure.x = {"rounds", false};
  figure.y = {"epsilon", true};
  figure.settings = {{"n =", "10", false}, {"delta =", "1e-5", true}};
  figure.curves = {
      {"printed, \"Table 1\"", Kind::reported, {{1, 0.5, "", Spread{0.25, 0.75}}}},
      {"ours", Kind::proven, {{1, 0.25, "swap-profile"}, {2, std::nullopt, ""}, {3, 0.125, "x"}}}};
  figure.findings = {{"009-figure-1-claim", Verdict::is_false, "It rises."}};
  return figure;
}

TEST(PaperTexts, HoldWhatTheFilesState) {
  EXPECT_EQ(figure_texts().size(), 31);
  const FigureText& table = figure_text("001-table-1");
  EXPECT_THAT(table.paper, HasSubstr("Shuffle Gaussian Mechanism"));
  EXPECT_THAT(table.caption, StartsWith("Table 1: the value of shuffle"));
  EXPECT_EQ(table.claims.size(), 4);
  EXPECT_FALSE(table.trains);
  EXPECT_TRUE(figure_text("001-figure-1b").trains);
  EXPECT_EQ(numbers_of("001-table-1-ours").size(), 7);
  EXPECT_EQ(number_of("001-table-1-parameters", 1), 9.48);
  EXPECT_ERROR(ErrorCode::internal, figure_text("001-table-9"));
  EXPECT_ERROR(ErrorCode::internal, numbers_of("001-nothing"));
}

TEST(Recipes, AreNamedAsInTheTextsAndInTheirOrder) {
  std::size_t before = 0;
  for (const Recipe& recipe : recipes()) {
    const auto& texts = figure_texts();
    const auto at =
        std::find_if(texts.begin(), texts.end(), [&](const FigureText& t) { return t.id == recipe.id; });
    ASSERT_NE(at, texts.end()) << recipe.id;
    EXPECT_GE(static_cast<std::size_t>(at - texts.begin()), before) << recipe.id;
    before = static_cast<std::size_t>(at - texts.begin());
    EXPECT_EQ(&recipe_named(recipe.id), &recipe);
  }
}

TEST(Recipes, AreThereOnceForEveryFigureAndTable) {
  for (const FigureText& text : figure_texts()) {
    const auto count = std::ranges::count_if(recipes(), [&](const Recipe& r) { return r.id == text.id; });
    EXPECT_EQ(count, 1) << text.id;
  }
}

TEST(Recipes, RefuseOtherNamesWithTheNearest) {
  const Error error = error_of([&] { recipe_named("001-table-11"); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_THAT(error.what(), HasSubstr("did you mean 001-table-1?"));
}

TEST(FigureFiles, CsvHasOneRowAPoint) {
  EXPECT_EQ(figure_csv(figure_of_test()),
            "curve,kind,x,value,low,high,bound\n"
            "\"printed, \"\"Table 1\"\"\",reported,1,0.5,0.25,0.75,\n"
            "\"ours\",proven,1,0.25,,,swap-profile\n"
            "\"ours\",proven,2,,,,\n"
            "\"ours\",proven,3,0.125,,,x\n");
}

TEST(FigureFiles, JsonHasEachClaimWithItsVerdict) {
  const std::string json = figure_json(figure_of_test(), text_of_test());
  EXPECT_THAT(
      json, HasSubstr(R"("verdict":"false","found":"It rises.","command":"muster reproduce 009-figure-1")"));
  EXPECT_THAT(json, HasSubstr(R"({"name":"delta =","value":"1e-5","chosen":true})"));
  FigureText trained = text_of_test();
  trained.trains = true;
  EXPECT_THAT(figure_json(figure_of_test(), trained),
              HasSubstr(R"("command":"muster reproduce 009-figure-1 --data DIR")"));
  PaperFigure silent = figure_of_test();
  silent.findings.clear();
  EXPECT_ERROR(ErrorCode::internal, figure_json(silent, text_of_test()));
}

TEST(FigureSvg, SaysWhatWasChosenAndIsRendered) {
  for (const Theme theme : {Theme::light, Theme::dark, Theme::viewer}) {
    const std::string svg = figure_svg(figure_of_test(), text_of_test(), theme);
    EXPECT_THAT(svg, HasSubstr("Chosen, because the paper&#39;s text does not state it: delta = 1e-5."));
    EXPECT_THAT(svg, HasSubstr("reported: printed, &quot;Table 1&quot;"));
    EXPECT_THAT(png_of(svg), StartsWith("\x89PNG"));
  }
  EXPECT_ERROR(ErrorCode::internal, png_of("<svg"));
}

// Simulated values are drawn as marks, and no line joins them.
TEST(FigureSvg, ShowsSimulatedValuesAsMarks) {
  PaperFigure figure = figure_of_test();
  figure.curves = {{"runs", Kind::simulated, {{1, 0.5, ""}, {2, 0.25, ""}}}};
  const std::string svg = figure_svg(figure, text_of_test(), Theme::light);
  EXPECT_THAT(svg, HasSubstr("simulated: runs"));
  EXPECT_THAT(svg, HasSubstr("k-simulated-dot"));
  EXPECT_EQ(svg.find("class=\"k-simulated\""), std::string::npos);
}

// A curve of kind `simulated` shows its spreads as one band if a line joins its points, and otherwise as one
// whisker at each mark. On a logarithmic axis, a spread down to 0 reaches the bottom.
TEST(FigureSvg, ShowsSpreadsAsWhiskersOrAsABand) {
  PaperFigure figure = figure_of_test();
  figure.curves = {
      {"runs", Kind::simulated, {{1, 0.5, "", Spread{0.0, 0.75}}, {2, 0.25, "", Spread{0.125, 0.5}}}}};
  const auto whiskers = [](const std::string& svg) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = svg.find("stroke-width=\"1.5\"", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  const std::string marks = figure_svg(figure, text_of_test(), Theme::light);
  EXPECT_EQ(whiskers(marks), 2);
  EXPECT_EQ(marks.find("k-simulated-area"), std::string::npos);
  figure.curves[0].joined = true;
  const std::string line = figure_svg(figure, text_of_test(), Theme::light);
  EXPECT_EQ(whiskers(line), 0);
  EXPECT_THAT(line, HasSubstr("k-simulated-area"));
  EXPECT_THAT(line, HasSubstr("class=\"k-simulated\""));
  for (const std::string& svg : {marks, line}) {
    EXPECT_EQ(svg.find("inf"), std::string::npos);
    EXPECT_EQ(svg.find("nan"), std::string::npos);
  }
}

// Values that no axis can show must not become coordinates.
TEST(FigureSvg, LeavesOutWhatIsNotFinite) {
  PaperFigure figure = figure_of_test();
  const double infinity = std::numeric_limits<double>::infinity();
  figure.curves[1].points = {{1, infinity, ""}, {2, 0.0, ""}, {3, -1.0, ""}, {4, 0.5, ""}};
  const std::string svg = figure_svg(figure, text_of_test(), Theme::light);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  figure.curves = {{"nothing", Kind::proven, {{1, std::nullopt, ""}}}};
  for (const bool logarithmic : {false, true}) {
    figure.y.logarithmic = logarithmic;
    EXPECT_THAT(figure_svg(figure, text_of_test(), Theme::light), StartsWith("<svg"));
  }
}

TEST(FigureFiles, AreWrittenWhole) {
  const muster::testing::TemporaryFolder folder;
  const std::filesystem::path made = folder.path() / "new";
  make_folder(made);
  write_figure(figure_of_test(), text_of_test(), made);
  for (const char* ending : kFigureEndings) {
    EXPECT_TRUE(std::filesystem::is_regular_file(made / (std::string("009-figure-1") + ending))) << ending;
  }
  EXPECT_ERROR(ErrorCode::file, make_folder("/proc/none"));
  EXPECT_ERROR(ErrorCode::file, write_figure(figure_of_test(), text_of_test(), folder.path() / "missing"));
}

}  // namespace
}  // namespace muster::reproduce
