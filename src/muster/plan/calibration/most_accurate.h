// Chooses the randomizer's noise and the check-in rate together, so that a round's mean is most accurate
// at the target: docs/theory/accuracy.md.
#pragma once

#include "muster/plan/calibration/calibration.h"

namespace muster::protocols {

// Throws Error(plan) for protocols without a rate and randomizers without a variance. Pure.
Calibration most_accurate(const Plan& plan, const Target& target);

}  // namespace muster::protocols
