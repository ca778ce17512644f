// The parameters for which calibration can solve a plan, here called knobs, and the plan keys of each.
//
// All functions are pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "muster/plan/plan.h"

namespace muster::protocols {

enum class Knob { epsilon0, sigma, rate, rounds, clients, minimum, accuracy };

const char* name_of(Knob knob);
// Throws Error(plan) if no knob has this name.
Knob knob_named(const std::string& name);
// Returns the names of all knobs as messages show them: "epsilon0 | sigma | ...".
std::string knob_names();
// Returns the plan keys that the answer fills in. Plan::validate takes them as `solved_for` and does not
// require them.
std::vector<std::string_view> keys_solved_by(Knob knob);
// Returns the keys that some knob solves for.
std::vector<std::string_view> solvable_keys();

// One plan parameter in which epsilon is monotone, and the range that is searched.
struct Parameter {
  Knob knob;
  std::string_view key;
  bool rises;  // whether epsilon rises with the parameter; then the largest value is the answer
  bool whole;  // whether the values are integers; otherwise they have six significant digits
  double min;  // values outside min..max are never tried
  double max;
};

// Throws Error(internal) for accuracy, which is not one parameter.
Parameter parameter_of(Knob knob);
// Does the same as the function above, but with a range that keeps the number of clients at least as large as
// the subset and the minimum.
Parameter parameter_of(Knob knob, const Plan& plan);
// Returns the parameter that sets the noise of the plan's randomizer: sigma or epsilon0.
Parameter noise_parameter(const Plan& plan);

// Returns the validated plan with this value of the parameter. Throws what Plan::with throws.
Plan plan_at(const Plan& plan, const Parameter& parameter, double value);
// Sets a parameter without validation, for rough formulas, which also accept values out of range. Does
// nothing for accuracy.
void set_parameter(PlanValues& values, Knob knob, double value);

}  // namespace muster::protocols
