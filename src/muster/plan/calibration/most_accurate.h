// Chooses the randomizer's noise and the check-in rate together. Among the pairs that meet the target, it
// returns one with nearly the smallest round_variance (round_variance.h). docs/theory/accuracy.md explains
// the method.
#pragma once

#include "muster/plan/calibration/calibration.h"

namespace muster::protocols {

// Throws Error(plan) if round_variance does, or if no noise at the chosen rate meets the target. Pure.
Calibration most_accurate(const Plan& plan, const Target& target);

}  // namespace muster::protocols
