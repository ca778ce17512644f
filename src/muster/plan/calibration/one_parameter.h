// Solves a plan for one parameter: finds the value that just meets the target (epsilon, delta), with few
// calls of the accountant. The function is pure.
#pragma once

#include <optional>

#include "muster/plan/calibration/calibration.h"
#include "muster/plan/calibration/knob.h"

namespace muster::protocols {

// The search starts at `better_guess` or, if it is absent, at the root of the rough formula
// (rough_epsilon.h). Throws Error(plan) if no value meets the target.
Calibration solve_for_parameter(const Plan& plan, const Parameter& parameter, const Target& target,
                                std::optional<double> better_guess = std::nullopt);

}  // namespace muster::protocols
