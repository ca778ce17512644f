#include "muster/plan/calibration/calibration.h"

#include <fmt/format.h>

#include <cmath>

#include "muster/core/error.h"
#include "muster/plan/calibration/most_accurate.h"
#include "muster/plan/calibration/one_parameter.h"
#include "muster/plan/keys.h"

namespace muster::protocols {

void check_epsilon(const Target& target) {
  if (target.epsilon > 0 && std::isfinite(target.epsilon)) return;
  throw Error(ErrorCode::plan, Reason::out_of_range, "--epsilon", fmt::format("{}", target.epsilon),
              "number > 0", "is not a target");
}

Calibration calibrate(const Plan& plan, Knob knob, const Target& target) {
  for (const std::string_view key : keys_solved_by(knob)) {
    const KeySpec& spec = spec_of(key);
    if (knob != Knob::accuracy && !spec.applies_to(name_of(plan.protocol()), name_of(plan.randomizer()))) {
      throw Error(ErrorCode::plan, Reason::inapplicable, "--for", name_of(knob), spec.only_with(),
                  fmt::format("cannot be solved for: {} does not apply to protocol {} with randomizer {}",
                              key, name_of(plan.protocol()), name_of(plan.randomizer())));
    }
  }
  check_epsilon(target);
  return knob == Knob::accuracy ? most_accurate(plan, target)
                                : solve_for_parameter(plan, parameter_of(knob, plan), target);
}

}  // namespace muster::protocols
