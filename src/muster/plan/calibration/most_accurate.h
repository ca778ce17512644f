// Chooses the randomizer's noise and the check-in rate together. Among the pairs of noise and rate that meet
// the target (epsilon, delta), most_accurate returns one with nearly the smallest round_variance
// (round_variance.h). docs/theory/accuracy.md explains the method. The functions are pure.
#pragma once

#include "muster/plan/calibration/calibration.h"

namespace muster::protocols {

// Whether the knob accuracy applies to the protocol: its clients must decide by coins whether they report,
// and the update must be the mean over those who do.
bool chooses_rate(Protocol protocol);

// Throws Error(plan) if chooses_rate is false, if round_variance is undefined for the plan, or if no noise at
// the chosen rate meets the target.
Calibration most_accurate(const Plan& plan, const Target& target);

}  // namespace muster::protocols
