// Chooses the randomizer's noise and the check-in rate together. Among the pairs that meet the target, it
// returns one with nearly the smallest round_variance (round_variance.h). docs/theory/accuracy.md explains
// the method.
#pragma once

#include "muster/plan/calibration/calibration.h"

namespace muster::protocols {

// Whether accuracy is defined for the protocol: its clients toss a coin for each round or slot, and the update
// is a mean over those who report. Pure.
bool chooses_rate(Protocol protocol);

// Throws Error(plan) if chooses_rate is false, if round_variance throws, or if no noise at the chosen rate
// meets the target. Pure.
Calibration most_accurate(const Plan& plan, const Target& target);

}  // namespace muster::protocols
