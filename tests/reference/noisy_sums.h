// The divergence for an adversary who sees only the number of reports and the sum of the reports, which have
// normal noise.
//
// All others hold the victim's alternative. Given k reports of n clients, the victim is among them with
// probability l_k = k/n, and her record moves the sum by mu/sqrt(k) standard deviations. With A and B the
// normal laws of the sum under her record and under the alternative, P_k = l_k A + (1 - l_k) B is compared
// with Q_k = B. The functions are pure.
#pragma once

#include "tests/reference/experiment.h"
#include "tests/reference/local.h"

namespace muster::reference {

// Returns the divergence of one round at epsilon, which is the exact worst case if all rates are equal.
// `above` is 1 where no upper end is computed.
Interval sums_delta(const Experiment& e, double epsilon);

// Returns one round as a pair of finitely many outcomes: ranges of k, and cells of the sum. `tail` is a
// probability that may be left out; `swapped` exchanges P and Q.
Pair sums_pair(const Experiment& e, double tail, bool swapped);

}  // namespace muster::reference
