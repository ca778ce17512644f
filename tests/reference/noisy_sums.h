// Only the number of reports and their sum, normal noise included, are
// seen: summed over the number of reports.
//
// Others all hold the victim's alternative. Given k reports the victim is among them with a chance l_k, and
// her record moves the sum by mu/sqrt(k) deviations: P_k = l_k A + (1 - l_k) B against B. Pure functions.
#pragma once

#include "tests/reference/experiment.h"
#include "tests/reference/local.h"

namespace muster::reference {

// One round at epsilon. With equal rates that is the exact worst case; `above` is 1 where it is not summed.
Interval sums_delta(const Experiment& e, double epsilon);

// The round as outcomes: stretches of k, and cells of the sum.
Pair sums_pair(const Experiment& e, double tail, bool swapped);

}  // namespace muster::reference
