// Computes how many rounds a task charges at most, and what they cost. As in `muster train`, these are the
// rounds of the plan that its budget pays for.
//
// The functions are pure but for the calls of `epsilon`.
#pragma once

#include <cstdint>
#include <functional>

#include "muster/plan/plan.h"

namespace muster::service {

// `epsilon` returns the epsilon of the plan after a number of rounds. Throws Error(budget) if the plan's
// budget does not pay for one round.
std::uint64_t planned_rounds(const protocols::Plan& plan,
                             const std::function<double(std::uint64_t)>& epsilon);

// What the planned rounds cost. Throws Error(budget) if that is nothing that a ledger can charge: 0,
// subnormal, infinite or not a number.
double planned_epsilon(const protocols::Plan& plan, std::uint64_t rounds,
                       const std::function<double(std::uint64_t)>& epsilon);

}  // namespace muster::service
