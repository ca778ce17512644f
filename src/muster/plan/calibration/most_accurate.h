// Chooses the randomizer's noise and the check-in rate together: among the pairs that meet the target, one
// whose round_variance (round_variance.h) is about the least. docs/theory/accuracy.md explains how.
#pragma once

#include "muster/plan/calibration/calibration.h"

namespace muster::protocols {

// Whether accuracy is defined for the protocol: its clients toss a coin for each round or slot, and the update
// is a mean over those who report. Pure.
bool chooses_rate(Protocol protocol);

// Throws Error(plan) if chooses_rate is false, where round_variance throws, and if no noise at the chosen rate
// meets the target. Pure.
Calibration most_accurate(const Plan& plan, const Target& target);

}  // namespace muster::protocols
