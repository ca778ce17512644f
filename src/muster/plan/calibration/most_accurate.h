// Chooses the randomizer's noise and the check-in rate together: among the pairs that meet the target, one
// whose round_variance (round_variance.h) is about the least. docs/theory/accuracy.md explains how.
#pragma once

#include "muster/plan/calibration/calibration.h"

namespace muster::protocols {

// Throws Error(plan) where round_variance does, and if no noise at the chosen rate meets the target. Pure.
Calibration most_accurate(const Plan& plan, const Target& target);

}  // namespace muster::protocols
