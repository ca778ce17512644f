// Shared by the tests of what is refused: the error that a call ends with.
#pragma once

#include <gtest/gtest.h>

#include "muster/core/error.h"

namespace muster::protocols {

// Fails the test, and returns an internal error, if `refused` throws no Error.
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
