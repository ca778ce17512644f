// Helps tests of calls that must be refused: EXPECT_ERROR compares the code of the Error that a statement
// throws, and error_of returns the Error. Call them from the thread of the test.
//
//     EXPECT_ERROR(ErrorCode::plan, Rate::of(2)) << "a rate above 1";
//     EXPECT_EQ(error_of([] { Rate::of(2); }).value(), "2");
//
// A test that expects just any Error could not tell the right refusal from a wrong one.
#pragma once

#include <gtest/gtest.h>

#include "muster/core/error.h"

namespace muster {

// If `refused` throws no Error, the test fails at the caller's line and an internal error is returned. The
// builtins stand for std::source_location, which clang 14 does not know.
template <typename Call>
Error error_of(Call&& refused, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  try {
    refused();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE_AT(file, line) << "accepted";
  return Error(ErrorCode::internal, "", "", "", "accepted");
}

// Succeeds if `refused` throws an Error of this code. A failure says what happened instead.
template <typename Call>
testing::AssertionResult refuses_with(ErrorCode code, Call&& refused) {
  try {
    refused();
  } catch (const Error& error) {
    if (error.code() == code) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "refused as " << name_of(error.code()) << ": " << error.what();
  }
  return testing::AssertionFailure() << "accepted";
}

}  // namespace muster

// Expects that the statement throws an Error of this code. << adds words to the failure.
#define EXPECT_ERROR(code, ...) EXPECT_TRUE(::muster::refuses_with(code, [&] { __VA_ARGS__; }))
