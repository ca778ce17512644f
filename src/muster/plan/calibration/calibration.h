// Solves a plan for one of its parameters: finds the value that just meets a target (epsilon, delta).
//
// The answer is the largest epsilon0, rate or number of rounds, or the smallest sigma, number of clients or
// required number of reports (`minimum`), whose proven upper epsilon is at most the target. It is an integer
// or has six significant digits, and the next such value misses the target. In most cases the accountant
// evaluates the next value. Otherwise the miss is predicted by a line, with logarithms on both axes, through
// the epsilons of the answer and of another evaluated value whose logarithm differs by at most 0.01. At the
// next value, this line must lie above the target by more than a quarter of its rise from the answer to the
// next value. The returned statement is the accountant's statement for the answer itself. The knob (knob.h)
// `accuracy` chooses the randomizer's noise and the check-in rate together (docs/theory/accuracy.md). All
// functions are pure; calibrate builds several accountants in turn.
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
  // The value of the knob. For the knob accuracy, the value of epsilon0 or sigma; the rate is in `plan`.
  double value = 0;
  // Whether the search stopped at an end of its range although values beyond this end exist.
  bool at_end = false;
  // The variance of a round's mean, in squared clip norms (round_variance.h), for the knob accuracy only.
  std::optional<double> variance;
  accounting::Statement statement;
};

// Throws Error(plan) unless the target's epsilon is positive and finite.
void check_epsilon(const Target& target);

// Throws Error(plan) if the knob does not apply to the plan, if the target's epsilon is not positive and
// finite, or if no value of the knob meets the target (the error then names the smallest epsilon that can be
// reached). Throws Error(uncovered) if the target names a view in which no theorem covers the
// plan's protocol. Where no theorem covers its randomizer or rate, the rounds are charged without
// amplification.
Calibration calibrate(const Plan& plan, Knob knob, const Target& target);

}  // namespace muster::protocols
