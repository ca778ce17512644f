// A rough epsilon in closed form, by the central limit theorem: where searches start, and nothing else.
//
// The privacy loss of many small rounds is nearly that of Gaussian noise; the formula takes its variance from
// the randomizer's second moment, the rate and the number of clients. It bounds nothing.
#pragma once

#include "muster/plan/plan.h"

namespace muster::protocols {

// Positive and finite, for every plan with its parameters set.
double rough_epsilon(const Plan& plan, double delta);

}  // namespace muster::protocols
