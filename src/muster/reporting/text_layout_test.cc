// Compares aligned tables and wrapped lines with literal texts, among them words that are longer than a line.
#include "muster/reporting/text_layout.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace muster::reporting {
namespace {

TEST(Aligned, ColumnsAreAsWideAsTheirLongestCell) {
  const std::vector<TableRow> rows = {{"id", "value", ""}, {"longer", "1", "note"}};
  EXPECT_EQ(aligned(rows), "id      value\nlonger  1      note\n");
  EXPECT_EQ(aligned(rows, Align::right), "    id  value\nlonger      1  note\n");
  EXPECT_EQ(width_of(rows), 19);
}

TEST(Wrapped, ShortTextIsOneLine) {
  EXPECT_EQ(wrapped("a word"), "a word\n");
  EXPECT_EQ(wrapped("", "- "), "- \n");
  EXPECT_EQ(wrapped("a", "  - ", "    "), "  - a\n");
}

TEST(Wrapped, LinesAreFilledToEightyCharactersAndNoFurther) {
  const std::string forty(40, 'x'), thirty_nine(39, 'y');
  EXPECT_EQ(wrapped(forty + " " + thirty_nine), forty + " " + thirty_nine + "\n");
  EXPECT_EQ(wrapped(forty + " " + forty), forty + "\n" + forty + "\n");
  EXPECT_EQ(wrapped(forty + " " + thirty_nine + " z", "", "  "), forty + " " + thirty_nine + "\n  z\n");
  EXPECT_EQ(wrapped(forty + " " + thirty_nine, " ", "  "), " " + forty + "\n  " + thirty_nine + "\n");
}

TEST(Wrapped, ALineMayBeWider) {
  EXPECT_EQ(wrapped("aaa bbb ccc", "", " ", 8), "aaa bbb\n ccc\n");
  const std::string sixty(60, 'x');
  EXPECT_EQ(wrapped(sixty + " " + sixty, "", "", 121), sixty + " " + sixty + "\n");
}

TEST(Wrapped, AWordThatFitsNoLineStandsAlone) {
  const std::string path(100, 'p');
  EXPECT_EQ(wrapped("in " + path + " it is", "- ", "  "), "- in\n  " + path + "\n  it is\n");
  EXPECT_EQ(wrapped(path), path + "\n");
}

}  // namespace
}  // namespace muster::reporting
