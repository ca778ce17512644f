// Makes the bounds of blanket.h, k_rr.h, binary_shuffle.h, clones.h and gaussian_blanket.h, for
// protocols in which everybody reports once, entries of the list in applicable.h. Pure functions.
#pragma once

#include <vector>

#include "muster/accounting/composition/round_bound.h"
#include "muster/accounting/describe/mechanism.h"
#include "muster/accounting/theorems/everyone/k_rr.h"

namespace muster::accounting {

// Proven upper bounds for n honest clients, smallest first.
std::vector<RoundBound> plain_shuffle_bounds(const Mechanism& mechanism, double n);

// The exact curves of k-ary randomized response when all other clients hold a third symbol;
// empty for k = 2.
std::vector<RoundPair> k_rr_pairs(const KRandomizedResponse& mechanism, const KRRShape& shape);

}  // namespace muster::accounting
