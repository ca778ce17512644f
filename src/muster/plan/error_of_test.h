// Helps tests of calls that must fail: error_of(call) returns the Error that the call throws. Call it from
// the thread of the test.
#pragma once

#include <gtest/gtest.h>

#include "muster/core/error.h"

namespace muster::protocols {

// If `refused` throws no Error, the test fails and an internal error is returned.
template <typename Call>
Error error_of(Call&& refused) {
  try {
    refused();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "accepted";
  return Error(ErrorCode::internal, "", "", "", "accepted");
}

}  // namespace muster::protocols
