// Everybody reports once: the bounds of theorems/everyone/blanket.h, k_rr.h, binary_shuffle.h and clones.h as
// entries of the list in applicable.h. Pure functions.
#pragma once

#include <vector>

#include "muster/accounting/composition/round_bound.h"
#include "muster/accounting/describe/mechanism.h"
#include "muster/accounting/theorems/everyone/k_rr.h"

namespace muster::accounting {

// Proven upper bounds for n honest clients, smallest first.
std::vector<RoundBound> plain_shuffle_bounds(const Mechanism& mechanism, double n);

// Exact curves of k-ary randomized response whose other clients all hold a third symbol; empty for k = 2.
std::vector<RoundPair> k_rr_pairs(const KRandomizedResponse& mechanism, const KRRShape& shape);

}  // namespace muster::accounting
