// The view of an adversary who sees only the number of reports and their sum with normal noise, summed
// over the number of reports.
//
// All others hold the victim's alternative. Given k reports, the victim is among them with probability
// l_k, and her record moves the sum by mu/sqrt(k) standard deviations: P_k = l_k A + (1 - l_k) B against
// B. Pure functions.
#pragma once

#include "tests/reference/experiment.h"
#include "tests/reference/local.h"

namespace muster::reference {

// The divergence of one round at epsilon. With equal rates it is the exact worst case; `above` is 1 where
// no upper end is computed.
Interval sums_delta(const Experiment& e, double epsilon);

// One round as a pair of finitely many outcomes: ranges of k, and cells of the sum.
Pair sums_pair(const Experiment& e, double tail, bool swapped);

}  // namespace muster::reference
