// Solves a plan for one of its parameters: finds the value that just meets a target (epsilon, delta).
//
// The answer is the largest epsilon0, rate or number of rounds, or the smallest sigma, number of clients or
// minimum, whose proven upper epsilon is at most the target. It is an integer or has six significant digits,
// and the next such value misses the target. (Either the accountant evaluates the next value; or a line
// through two values at most 0.01 apart in their logarithm, the answer and another, predicts that the next
// one misses the target by more than a quarter of the line's rise over this step.) The statement returned is
// the accountant's own for exactly the answer. `accuracy` chooses the randomizer's noise and the check-in
// rate together (docs/theory/accuracy.md). All functions are pure; each builds several accountants, one
// after the other.
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
  // The value of the knob; for accuracy, that of epsilon0 or sigma (the rate is in the plan).
  double value = 0;
  // Whether the value is the end of the range searched, and values beyond it exist but were not tried.
  bool at_end = false;
  // Given for accuracy only: the variance of a round's mean, in squared clips (round_variance.h).
  std::optional<double> variance;
  accounting::Statement statement;
};

// Throws Error(plan) if the knob does not apply to the plan, if the target's epsilon is not positive and
// finite, or if no value of the knob meets the target (the error names the smallest epsilon that can be
// reached). Throws Error(uncovered) if no theorem covers the plan.
Calibration calibrate(const Plan& plan, Knob knob, const Target& target);

}  // namespace muster::protocols
