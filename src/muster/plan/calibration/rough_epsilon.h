// A rough epsilon in closed form, by the central limit theorem; it only gives searches a starting point.
//
// The privacy loss of many small rounds is nearly that of Gaussian noise. The formula takes its variance
// from the randomizer's second moment, the rate and the number of clients. The result is not a bound.
#pragma once

#include "muster/plan/calibration/knob.h"
#include "muster/plan/plan.h"

namespace muster::protocols {

// Positive and finite for all values of parameters that are set, also for those that no plan may have.
double rough_epsilon(const PlanValues& values, double delta);
// The value of the parameter, within its range, at which rough_epsilon gives `rough_target`.
double rough_root(PlanValues values, const Parameter& parameter, double delta, double rough_target);
// The derivative |d log epsilon / d log value| of rough_epsilon, clamped to 0.1 .. 10.
double rough_slope(PlanValues values, const Parameter& parameter, double delta, double value);

}  // namespace muster::protocols
