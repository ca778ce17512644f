// Runs a test body on every vector target that this machine has, including the portable one. While
// on_every_target runs, no other thread may compute, because the target is that of the whole process.
#pragma once

#ifndef HWY_WANT_AVX3_DL
#define HWY_WANT_AVX3_DL 1
#endif
#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <cstdint>
#include <string>

#include "muster/random/counter_blocks.h"

namespace muster::random {

inline bool has_fused_multiply_add(const std::string& target) {
  return target != "SSE4" && target != "SSSE3" && target != "EMU128" && target != "Scalar" &&
         target != "SCALAR";
}

// Calls body with the name of the target on every target, and returns how many targets ran.
template <class Body>
int on_every_target(Body body) {
  const std::int64_t supported = hwy::SupportedTargets() | HWY_STATIC_TARGET;
  int ran = 0;
  for (std::int64_t targets = supported & HWY_TARGETS; targets != 0; targets &= targets - 1) {
    hwy::SetSupportedTargetsForTest(targets & -targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    SCOPED_TRACE(vector_target());
    body(std::string(vector_target()));
    ++ran;
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return ran;
}

}  // namespace muster::random
