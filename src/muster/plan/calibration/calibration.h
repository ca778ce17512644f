// Solves a plan for one of its parameters: finds the value that just meets a target (epsilon, delta).
//
// The answer is the largest epsilon0, rate or number of rounds, or the smallest sigma, number of clients
// or minimum, whose proven upper epsilon is at most the target. It is an integer or has six significant
// digits, and the next such value misses the target. (That is evaluated, or read off the line through two
// values within a hundredth of each other if the line clears the target by a quarter of a step.) The
// statement returned is the accountant's own for exactly that value. `accuracy` chooses the randomizer's
// noise and the check-in rate together (docs/theory/accuracy.md). All functions are pure; each builds
// several accountants, one after the other.
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
// Throws Error(plan) if no knob has this name.
Knob knob_named(const std::string& name);
// The names of all knobs as shown in messages: "epsilon0 | sigma | ...".
std::string knob_names();
// The plan keys that the answer fills in. Plan::validate does not require them.
std::vector<std::string_view> keys_solved_by(Knob knob);

struct Target {
  double epsilon;                                       // > 0
  double delta;                                         // in (0, 1)
  std::optional<accounting::View> view = std::nullopt;  // the protocol's own view if not given
};

struct Calibration {
  Plan plan;  // the plan with the answer filled in
  // The value of the knob; for accuracy, that of epsilon0 or sigma (the rate is in the plan).
  double value = 0;
  // The value is the end of the range searched; values beyond it were not tried.
  bool at_end = false;
  // Given for accuracy only: the variance of a round's mean, in squared clips.
  std::optional<double> variance;
  accounting::Statement statement;
};

// Throws Error(plan) if the knob does not apply or no value reaches the target (the error names the
// smallest epsilon that can be reached), and Error(uncovered) if no theorem covers the plan.
Calibration calibrate(const Plan& plan, Knob knob, const Target& target);

}  // namespace muster::protocols
