// Computes a rough epsilon by the central limit theorem, only to give searches a starting point.
//
// The privacy loss of many small rounds is nearly that of the Gaussian mechanism. The formula takes the
// variance of this loss from the randomizer's likelihood_variance (randomizer_table.h), the rate, the number
// of rounds, and the number of clients or slots. The result is not a bound. All functions are pure.
#pragma once

#include "muster/plan/calibration/knob.h"
#include "muster/plan/plan.h"

namespace muster::protocols {

// The result is positive and finite, even if a parameter is outside the range of its plan key. The fields
// that the randomizer reads must be set.
double rough_epsilon(const PlanValues& values, double delta);
// Returns the value of the parameter at which rough_epsilon is about `rough_target`, or the nearest end of
// the parameter's range.
double rough_root(PlanValues values, const Parameter& parameter, double delta, double rough_target);
// Returns the average of |d log epsilon / d log value| for rough_epsilon between `value` and about 1.2 times
// `value`, clamped to [0.1, 10].
double rough_slope(PlanValues values, const Parameter& parameter, double delta, double value);

}  // namespace muster::protocols
