// Solves a plan for one of its parameters: the one that just meets a target (epsilon, delta).
//
// The answer is the largest epsilon0, rate or number of rounds, or the smallest sigma, number of clients or
// minimum, whose proven upper epsilon is at most the target; it is a whole number or has six significant
// digits, and the next such value misses the target (asked, or read off the line through two values within a
// hundredth where that line clears the target by a quarter of a step). The statement returned is the
// accountant's own for exactly that value. `accuracy` chooses the randomizer's noise and the check-in rate
// together (docs/theory/accuracy.md). Pure functions; each builds a handful of accountants, one after the
// other.
//
// Example:
//     Plan plan = Plan::validate(source, Command::calibrate, keys_solved_by(Knob::sigma));
//     Calibration found = calibrate(plan, Knob::sigma, {.epsilon = 1, .delta = 1e-6});
//     found.value;              // found.statement.best.upper <= 1
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/plan/plan.h"

namespace muster::protocols {

enum class Knob { epsilon0, sigma, rate, rounds, clients, minimum, accuracy };

const char* name_of(Knob knob);
// Throws Error(plan) for a name that is none.
Knob knob_named(const std::string& name);
// "epsilon0 | sigma | ...", for people.
std::string knob_names();
// The plan keys that the answer fills in: Plan::validate does not ask for them.
std::vector<std::string_view> keys_solved_by(Knob knob);

struct Target {
  double epsilon;                        // > 0
  double delta;                          // in (0, 1)
  std::optional<accounting::View> view;  // the protocol's own unless given
};

struct Calibration {
  Plan plan;                       // with what was found
  double value = 0;                // of the knob; for accuracy, of epsilon0 or sigma (the rate is the plan's)
  bool at_end = false;             // the end of the range searched: what lies beyond was not asked
  std::optional<double> variance;  // accuracy alone: of the round's mean, in squared clips
  accounting::Statement statement;
};

// Throws Error(plan) where the knob does not apply or nothing reaches the target (naming the nearest that is
// reachable), Error(uncovered) where no theorem covers the plan.
Calibration calibrate(const Plan& plan, Knob knob, const Target& target);

}  // namespace muster::protocols
