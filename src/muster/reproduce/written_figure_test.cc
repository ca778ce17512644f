// Checks that only a figure whose five files are whole, and about the same claims, counts as written.
#include "muster/reproduce/written_figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

#include "muster/core/atomic_file.h"
#include "muster/reproduce/figure_files.h"
#include "muster/reproduce/paper_figure.h"
#include "tests/support/temporary_folder.h"

namespace muster::reproduce {
namespace {

using ::testing::StartsWith;
using State = WrittenFigure::State;

class WrittenFigureTest : public ::testing::Test {
 protected:
  WrittenFigureTest() {
    figure_.x = {"rounds"};
    figure_.y = {"epsilon"};
    figure_.curves = {
        {"printed, \"Table 1\"", Kind::reported, {{1, 0.5, "", Spread{0.25, 0.75}}}},
        {"ours", Kind::proven, {{1, 0.25, "swap-profile"}, {2, std::nullopt, ""}, {3, 0.125, "x"}}}};
    figure_.findings = {{"009-figure-1-claim", Verdict::is_false, "It rises."}};
    write_figure(figure_, text_, folder_.path());
  }

  std::filesystem::path file(const char* ending) const { return folder_.path() / (text_.id + ending); }
  WrittenFigure found() const { return written_figure(text_, folder_.path()); }
  // Checks that the figure is unusable once the file has these bytes, and restores the file.
  void expect_unusable(const char* ending, const std::string& bytes, const std::string& flaw = "") {
    const std::string before = read_file(file(ending));
    replace_file(file(ending), bytes);
    EXPECT_EQ(found().state, State::unusable) << ending << " " << bytes.size();
    EXPECT_THAT(found().flaw, StartsWith(text_.id + ending + " " + flaw));
    replace_file(file(ending), before);
    ASSERT_EQ(found().state, State::whole) << found().flaw;
  }

  FigureText text_{.id = "009-figure-1",
                   .paper = "Somebody",
                   .caption = "",
                   .where = "Section 1",
                   .unstated = {},
                   .claims = {{"009-figure-1-claim", "it \"falls\"", "whether it falls", ""}}};
  PaperFigure figure_;
  const muster::testing::TemporaryFolder folder_;
};

TEST_F(WrittenFigureTest, IsWholeOrAbsent) {
  EXPECT_EQ(found().state, State::whole) << found().flaw;
  EXPECT_EQ(found().flaw, "");
  for (const char* ending : kFigureEndings) std::filesystem::remove(file(ending));
  EXPECT_EQ(found().state, State::absent);
  EXPECT_EQ(written_figure(text_, folder_.path() / "missing").state, State::absent);
}

TEST_F(WrittenFigureTest, ACutOrEmptyFileMakesItUnusable) {
  for (const char* ending : kFigureEndings) {
    const std::string bytes = read_file(file(ending));
    expect_unusable(ending, "");
    expect_unusable(ending, bytes.substr(0, bytes.size() / 2));
    expect_unusable(ending, bytes.substr(0, bytes.size() - 2));
    expect_unusable(ending, bytes.substr(1));
  }
}

TEST_F(WrittenFigureTest, AMissingFileOrAFolderMakesItUnusable) {
  for (const char* ending : kFigureEndings) {
    const std::string before = read_file(file(ending));
    std::filesystem::remove(file(ending));
    EXPECT_EQ(found().flaw, text_.id + ending + " is missing");
    std::filesystem::create_directory(file(ending));
    EXPECT_EQ(found().flaw, text_.id + ending + " cannot be read");
    std::filesystem::remove(file(ending));
    replace_file(file(ending), before);
  }
}

TEST_F(WrittenFigureTest, RowsOfTheTableMustBeThoseOfTheJson) {
  const std::string csv = read_file(file(".csv"));
  const std::size_t last = csv.rfind("\"ours\"");
  expect_unusable(".csv", csv.substr(0, last), "has fewer rows of \"ours\" than its JSON says");
  expect_unusable(".csv", csv + csv.substr(last), "has more rows than its JSON says");
  PaperFigure other = figure_;
  other.curves[1].name = "theirs";
  expect_unusable(".csv", figure_csv(other), "has fewer rows of \"ours\"");
  other = figure_;
  other.curves[1].kind = Kind::lower;
  expect_unusable(".csv", figure_csv(other), "has fewer rows of \"ours\"");
}

TEST_F(WrittenFigureTest, TheClaimsMustBeThoseOfThisProgram) {
  FigureText other = text_;
  other.id = "009-figure-2";
  expect_unusable(".json", figure_json(figure_, other), "is of another figure");
  other = text_;
  other.claims[0].words = "it rises";
  expect_unusable(".json", figure_json(figure_, other), "has other claims");
  other = text_;
  other.claims.clear();
  expect_unusable(".json", figure_json(figure_, other), "has other claims");
  expect_unusable(".json", "[]");
  expect_unusable(".json", "{\"id\":\"009-figure-1\"}", "is not the JSON of a figure");
}

}  // namespace
}  // namespace muster::reproduce
