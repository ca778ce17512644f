// Checks the words, codes and exit statuses of Error, a file that several writers replace at once, what the
// checked quantities refuse, and the lengths of UTF-8 characters.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <future>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/core/types.h"
#include "muster/core/utf8.h"
#include "tests/support/temporary_folder.h"

namespace muster {
namespace {

std::string what(ErrorCode code, const char* key, const char* value, const char* allowed,
                 const char* message) {
  return Error(code, key, value, allowed, message).what();
}

// The checks of error_of_test.h fail if the code is another one, and if nothing is refused.
TEST(Error, ChecksOfRefusalsCanFail) {
  const auto unreadable = [] { throw Error(ErrorCode::file, "a.csv", "", "", "cannot be read"); };
  EXPECT_TRUE(refuses_with(ErrorCode::file, unreadable));
  EXPECT_FALSE(refuses_with(ErrorCode::data, unreadable));
  EXPECT_FALSE(refuses_with(ErrorCode::internal, [] {}));
  EXPECT_EQ(error_of(unreadable).key(), "a.csv");
  EXPECT_NONFATAL_FAILURE(error_of([] {}), "accepted");
}

TEST(Error, SaysInASentenceWhatWasRefused) {
  EXPECT_EQ(what(ErrorCode::plan, "privacy.delta", "2", "in (0, 1)", "is not a delta"),
            "privacy.delta = 2 is not a delta; allowed: in (0, 1)");
  EXPECT_EQ(what(ErrorCode::usage, "--view", "x", "", "is an unknown view"), "--view x is an unknown view");
  EXPECT_EQ(what(ErrorCode::usage, "PLAN", "", "a file", "is missing"), "PLAN is missing; allowed: a file");
  EXPECT_EQ(what(ErrorCode::data, "a.csv", "a folder", "a file", "cannot be read"),
            "a.csv cannot be read; found: a folder, expected: a file");
  EXPECT_EQ(what(ErrorCode::file, "a", "", "a file", "is gone"), "a is gone; expected: a file");
  EXPECT_EQ(what(ErrorCode::checkpoint, "a", "7", "", "is old"), "a is old; found: 7");
  EXPECT_EQ(what(ErrorCode::plan, "a", "1", "b", "is unknown; did you mean b?"),
            "a = 1 is unknown; did you mean b? Allowed: b");
  EXPECT_EQ(what(ErrorCode::data, "a.csv", "", "", ", line 3: no number"), "a.csv, line 3: no number");
  EXPECT_EQ(what(ErrorCode::uncovered, "view", "x", "y", "no theorem"), "view = x: no theorem; allowed: y");
  EXPECT_EQ(what(ErrorCode::internal, "", "", "", "broken"), "broken");
}

// The text of a file must not be able to cut off a line of the terminal or to change its state.
TEST(Error, EscapesControlCharactersInItsWordsAlone) {
  const Error error(ErrorCode::file, "a\tb", std::string("\x1b[2J\0", 5), "", "is gone\n");
  EXPECT_STREQ(error.what(), "a\\x09b is gone\\x0a; found: \\x1b[2J\\x00");
  EXPECT_EQ(error.key(), "a\tb");
  EXPECT_EQ(error.value().front(), '\x1b');
  EXPECT_STREQ(Error::in_words(ErrorCode::usage, "", "", "", "\x7f \u00e9 \\").what(), "\\x7f \u00e9 \\");
}

TEST(Error, CarriesItsPartsWhateverItsWords) {
  const Error error = Error::in_words(ErrorCode::usage, "mpirun", "2", "one", "this and no more");
  EXPECT_STREQ(error.what(), "this and no more");
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_EQ(error.key() + error.value() + error.allowed(), "mpirun2one");
}

TEST(Error, StatesItsReasonApartFromItsWords) {
  const Error missing(ErrorCode::plan, Reason::missing, "privacy.delta", "", "in (0, 1)", "is missing");
  EXPECT_EQ(missing.reason(), Reason::missing);
  EXPECT_STREQ(missing.what(), "privacy.delta is missing; allowed: in (0, 1)");
  EXPECT_EQ(Error::in_words(ErrorCode::usage, Reason::malformed, "a", "", "", "b").reason(),
            Reason::malformed);
  EXPECT_EQ(Error(ErrorCode::file, "a", "", "", "is gone").reason(), Reason::none);
  std::set<std::string> names;
  for (const Reason reason :
       {Reason::none, Reason::unknown, Reason::missing, Reason::wrong_type, Reason::out_of_range,
        Reason::malformed, Reason::inapplicable, Reason::contradiction}) {
    EXPECT_TRUE(names.insert(name_of(reason)).second) << name_of(reason);
  }
}

TEST(Error, ExitStatusesAreTheDocumentedOnes) {
  EXPECT_EQ(exit_status(ErrorCode::usage), 2);
  EXPECT_EQ(exit_status(ErrorCode::plan), 2);
  EXPECT_EQ(exit_status(ErrorCode::uncovered), 2);
  EXPECT_EQ(exit_status(ErrorCode::data), 3);
  EXPECT_EQ(exit_status(ErrorCode::file), 3);
  EXPECT_EQ(exit_status(ErrorCode::checkpoint), 3);
  EXPECT_EQ(exit_status(ErrorCode::budget), 4);
  EXPECT_EQ(exit_status(ErrorCode::internal), 5);
  EXPECT_EQ(exit_status(ErrorCode::interrupted), 130);
}

// With several writers of one path, every read returns one writer's whole text, and no temporary file is
// left.
TEST(AtomicFile, WritersOfOnePathDoNotMixTheirBytes) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "file";
  const auto text_of = [](char letter) { return std::string(100'000, letter); };
  replace_file(file, text_of('a'));
  std::vector<std::future<void>> writers;
  for (const char letter : {'a', 'b', 'c', 'd'}) {
    writers.push_back(std::async(std::launch::async, [&, letter] {
      for (int i = 0; i < 20; ++i) {
        replace_file(file, text_of(letter));
        const std::string read = read_file(file);
        ASSERT_EQ(read, text_of(read.front()));
      }
    }));
  }
  for (std::future<void>& writer : writers) {
    writer.get();
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(AtomicFile, WhatWasLeftIsKnownByItsName) {
  EXPECT_TRUE(is_temporary_of("a.txt.12-0.tmp", "a.txt"));
  EXPECT_TRUE(is_temporary_of("a.txt.tmp", "a.txt"));
  for (const char* name :
       {"a.txt", "a.txt.12-0", "a.txt..tmp", "b.txt.12-0.tmp", "a.txt.12-x.tmp", "a.txt12.tmp"}) {
    EXPECT_FALSE(is_temporary_of(name, "a.txt")) << name;
  }
}

TEST(Types, RefuseWhatTheyAreNot) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (double bad : {nan, -1.0, 0.0, 1.0, 2.0}) {
    EXPECT_ERROR(ErrorCode::plan, Delta::of(bad)) << bad;
  }
  for (double bad : {nan, -1.0, 0.0, 1.5}) {
    EXPECT_ERROR(ErrorCode::plan, Rate::of(bad)) << bad;
  }
  EXPECT_ERROR(ErrorCode::plan, Epsilon::of(nan));
  EXPECT_ERROR(ErrorCode::plan, Epsilon::of(-1e-300));
  EXPECT_ERROR(ErrorCode::plan, ClientCount::of(0));
  EXPECT_ERROR(ErrorCode::plan, ClientCount::of(1'000'000'000'001));
  EXPECT_ERROR(ErrorCode::plan, Rate::effective(0.5, 1.0));
  EXPECT_DOUBLE_EQ(Rate::effective(0.5, 0.2).value(), 0.4);
  EXPECT_EQ(Rate::of(1).value(), 1);
}

TEST(Utf8, CharactersHaveTheirLengthAndNothingElseHasOne) {
  EXPECT_EQ(utf8_length("a"), 1U);
  EXPECT_EQ(utf8_length("\u00fcx"), 2U);
  EXPECT_EQ(utf8_length("\u2026x"), 3U);
  EXPECT_EQ(utf8_length("\U0001F600x"), 4U);
  // In turn: nothing, control characters, a character cut off, a byte that begins no character, an overlong
  // form, a surrogate, and a value above U+10FFFF.
  for (const char* none : {"", "\n", "\x7f", "\xc2\x80", "\xc3", "\xe2\x80", "\xff", "\xc0\x80",
                           "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    EXPECT_EQ(utf8_length(none), 0U) << none;
  }
}

}  // namespace
}  // namespace muster
