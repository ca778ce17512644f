// Solves a plan for one parameter: the value that just meets the target, by few questions to the accountant.
#pragma once

#include <optional>

#include "muster/plan/calibration/calibration.h"
#include "muster/plan/calibration/knob.h"

namespace muster::protocols {

// `better_guess` is where the search starts; if it is not given, the rough formula provides the start.
// Throws Error(plan) if no value reaches the target. Pure.
Calibration solve_for_parameter(const Plan& plan, const Parameter& parameter, const Target& target,
                                std::optional<double> better_guess = std::nullopt);

}  // namespace muster::protocols
