// Lists texts in which letters beyond ASCII stand inside strings and comments, where they are allowed, and
// outside of them, where the search must stop at the first such letter.
#include "muster/plan/toml_letters.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::protocols {
namespace {

// Returns the text with "^" in place of the two-byte character at which the search stops, or the unchanged
// text if the search finds nothing.
std::string searched(const std::string& text) {
  const auto found = beyond_ascii_outside_text(text);
  return found ? text.substr(0, *found) + '^' + text.substr(*found + 2) : text;
}

TEST(TomlLetters, StringsAndCommentsMayHaveThem) {
  for (const char* text : {"",
                           "# é",
                           "x = 1 # é\ny = 2",
                           "x = 'é'",
                           "x='é'",
                           "x = ['é','é']",
                           "x = {'é'='é'}",
                           "a.'é' = 1",
                           "['é']",
                           "\xef\xbb\xbf'é' = 1",
                           "x = \"é\"",
                           "\"é\" = 1",
                           "x = '''é\né'''",
                           "x = \"\"\"é\né\"\"\"",
                           "x = \"\\\"é\"",
                           "x = '\\' # é",
                           "x = \"\"\"é\\\"\"\"é\"\"\"",
                           "x = \"\"\"é\"\"\"\"\" # é",
                           "x = \"\" # é",
                           "x = '' # é",
                           "\xef\xbb\xbfx = 1",
                           "x = \"é",
                           "x = '''é"}) {
    EXPECT_EQ(searched(text), text);
  }
}

TEST(TomlLetters, NothingElseMayHaveThem) {
  EXPECT_EQ(searched("é"), "^");
  EXPECT_EQ(searched("é = 1"), "^ = 1");
  EXPECT_EQ(searched("x = é"), "x = ^");
  EXPECT_EQ(searched("x = 'é' é"), "x = 'é' ^");
  EXPECT_EQ(searched("# é\né"), "# é\n^");
  EXPECT_EQ(searched("x = '\\' é"), "x = '\\' ^") << "a literal string has no escapes";
  EXPECT_EQ(searched("x = \"open\né"), "x = \"open\n^") << "an open string ends with its line";
  EXPECT_EQ(searched("x = \"\"\"é\"\"\"\"\"é"), "x = \"\"\"é\"\"\"\"\"^");
  EXPECT_EQ(searched("x = \"\" é"), "x = \"\" ^");
  EXPECT_EQ(searched("x = word\"é"), "x = word\"^") << "a quote within a word begins no string";
  EXPECT_EQ(searched("x = 1\xef\xbb\xbf").substr(0, 6), "x = 1^");
}

}  // namespace
}  // namespace muster::protocols
