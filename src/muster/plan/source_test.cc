// Checks that a plan's text is read with the place of every value, and that errors of syntax name file, line
// and column.
#include "muster/plan/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"

namespace muster::protocols {
namespace {

using testing::HasSubstr;

Error error_of_text(const std::string& text) {
  SCOPED_TRACE(text);
  return error_of([&] { PlanSource::from_text(text, "bad.toml"); });
}

TEST(PlanSource, SyntaxErrorsNameFileLineColumnAndText) {
  struct Case {
    const char* text;
    const char* where;
    const char* shown;
  };
  for (const Case& bad : {Case{"name = \"a\"\nseed = = 3\n", "line 2, column 8", "seed = = 3"},
                          Case{"[rounds]\ncount = 1\ncount = 2\n", "line 3, column", "count = 2"},
                          Case{"[rounds]\n[rounds]\n", "line 2, column", "[rounds]"},
                          Case{"x = 1e400\n", "line 1, column", "x = 1e400"},
                          Case{"x = 9223372036854775808\n", "line 1, column", "x = 9223372036854775808"},
                          Case{"x = \"open\n", "line 1, column", "x = \"open"},
                          Case{"x = 1 y = 2\n", "line 1, column", "x = 1 y = 2"},
                          Case{"x = \"\xff\"\n", "line 1, column", ""}}) {
    const Error error = error_of_text(bad.text);
    EXPECT_EQ(error.code(), ErrorCode::plan);
    EXPECT_EQ(error.key(), "bad.toml");
    EXPECT_THAT(error.what(), HasSubstr(bad.where)) << bad.text;
    EXPECT_THAT(error.what(), HasSubstr(bad.shown));
  }
}

// The parser recurses over the parts of a dotted key, so too many parts would overflow the stack.
TEST(PlanSource, KeysOfVeryManyPartsAreRefused) {
  std::string key = "a";
  for (int i = 0; i < 400'000; ++i) key += ".a";
  for (const std::string& text : {key + " = 1\n", "[" + key + "]\n", "x = {" + key + " = 1}\n"}) {
    const Error error = error_of_text(text);
    EXPECT_EQ(error.code(), ErrorCode::plan);
    EXPECT_THAT(error.what(), HasSubstr("too many dots"));
  }
  PlanSource source;
  EXPECT_ERROR(ErrorCode::plan, source.override_key("rounds.learning_rate", "[{" + key + " = 1}]"));
  std::string schedule = "[[1, 0.5]";
  for (int round = 2; round < 9'000; ++round) schedule += ", [" + std::to_string(round) + ", 0.25]";
  EXPECT_NO_THROW(PlanSource::from_text("x = " + schedule + "]\n", "long.toml"));
  for (int round = 9'000; round < 20'000; ++round) schedule += ", [" + std::to_string(round) + ", 2.5e-1]";
  EXPECT_NO_THROW(source.override_key("rounds.learning_rate", schedule + "]"));
  EXPECT_ERROR(ErrorCode::plan, source.override_key("rounds.learning_rate", schedule + ", \"\"]"));
}

TEST(PlanSource, RemembersWhereEachValueStands) {
  const PlanSource source = PlanSource::from_text("seed = 3\n[rounds]\n  count = 5\n", "a.toml");
  EXPECT_EQ(source.find("rounds.count")->origin.describe(), "a.toml, line 3, column 11");
  EXPECT_EQ(source.find("rounds.count")->text, "5");
  EXPECT_EQ(source.find("rounds.nothing"), nullptr);
}

TEST(PlanSource, ControlCharactersOfKeysAndValuesAreShownNotSent) {
  const PlanSource source =
      PlanSource::from_text("[rounds]\n\"a\\n\" = \"b\\u001b\"\nc = {d = 1, e = 2}\n", "a.toml");
  for (const auto& [key, raw] : source.entries()) {
    EXPECT_EQ((key + raw.text).find_first_of("\n\x1b"), std::string::npos) << key;
  }
  EXPECT_EQ(source.find("rounds.a\\x0a")->text, "b\\x1b");
}

TEST(PlanSource, AnOverrideReplacesTheFile) {
  PlanSource source = PlanSource::from_text("[rounds]\ncount = 5\n", "a.toml");
  source.override_key("rounds.count", "6");
  EXPECT_EQ(source.entries().size(), 1u);
  EXPECT_EQ(source.find("rounds.count")->origin.describe(), "--rounds");
}

TEST(PlanSource, OnlyKeysWithAFlagAreOverridden) {
  PlanSource source;
  EXPECT_ERROR(ErrorCode::usage, source.override_key("name", "x"));
  EXPECT_ERROR(ErrorCode::usage, source.override_key("rounds.counts", "3"));
}

TEST(PlanSource, FilesThatCannotBeReadAreFileErrors) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::string large = folder / "muster_plan_source_test_large.toml";
  std::ofstream(large) << std::string((std::size_t{1} << 20) + 1, '#');
  for (const std::string& path : {std::string("no/such/plan.toml"), folder.string(), large}) {
    SCOPED_TRACE(path);
    const Error error = error_of([&] { PlanSource::from_file(path); });
    EXPECT_EQ(error.code(), ErrorCode::file) << error.what();
    EXPECT_EQ(error.key(), path);
  }
  std::filesystem::remove(large);
}

}  // namespace
}  // namespace muster::protocols
