// Solves a plan for one of its parameters: finds the value that just meets a target (epsilon, delta).
//
// The answer is the largest epsilon0, rate or number of rounds, or the smallest sigma, number of clients or
// required number of reports (`minimum`), whose proven upper epsilon is at most the target. It is an integer
// or has six significant digits, and the next such value misses the target. In most cases the accountant
// evaluates the next value. Otherwise a line through two evaluated values, the answer and one at most 0.01
// away in the logarithm, predicts that the next value misses the target by more than a quarter of the line's
// rise over this step. The returned statement is the accountant's statement for the answer itself. `accuracy`
// chooses the randomizer's noise and the check-in rate together (docs/theory/accuracy.md). All functions are
// pure; each builds several accountants, one after the other.
//
// Example:
//     Plan plan = Plan::validate(source, Command::calibrate, keys_solved_by(Knob::sigma));
//     Calibration found = calibrate(plan, Knob::sigma, {.epsilon = 1, .delta = 1e-6});
//     found.value;              // found.statement.best.upper <= 1
#pragma once

#include <optional>

#include "muster/accounting/statement.h"
#include "muster/plan/calibration/knob.h"
#include "muster/plan/calibration/parameter_cost.h"
#include "muster/plan/plan.h"

namespace muster::protocols {

struct Calibration {
  Plan plan;  // the plan with the answer filled in
  // The value of the knob. For accuracy, the value of epsilon0 or sigma; the rate is in `plan`.
  double value = 0;
  // Whether the value is an end of the searched range beyond which further values exist.
  bool at_end = false;
  // For accuracy only: the variance of a round's mean, in squared clip norms (round_variance.h).
  std::optional<double> variance;
  accounting::Statement statement;
};

// Throws Error(plan) unless the target's epsilon is positive and finite.
void check_epsilon(const Target& target);

// Throws Error(plan) if the knob does not apply to the plan, if the target's epsilon is not positive and
// finite, or if no value of the knob meets the target (the error then names the smallest epsilon that can be
// reached). Throws Error(uncovered) if no theorem covers the plan.
Calibration calibrate(const Plan& plan, Knob knob, const Target& target);

}  // namespace muster::protocols
