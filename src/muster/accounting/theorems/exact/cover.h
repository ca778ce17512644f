// Entries of the exact curves of single data sets, which are lower bounds, for the covers. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/accounting/composition/round_bound.h"
#include "muster/accounting/describe/mechanism.h"
#include "muster/accounting/theorems/cover.h"
#include "muster/accounting/theorems/everyone/k_rr.h"
#include "muster/accounting/theorems/exact/homogeneous.h"

namespace muster::accounting {

RoundPair homogeneous(const Mechanism& mechanism, const HomogeneousShape& shape);

// The exact curves of the data set whose other clients all hold the victim's alternative, at distance mu.
RoundPair gaussian_shuffle_pair(std::uint64_t clients, double mu);

// Clients of unequal rates as one data set: the victim has the largest rate, and the others, who all
// hold her alternative record, have the smallest. The randomizer is binary randomized response, whose
// curves every member of class C attains.
void add_unequal_pair(const Mechanism& mechanism, double n, double lo, double hi, Applicable& list);

// The exact curves of k-ary randomized response when all other clients hold a third symbol;
// empty for k = 2.
std::vector<RoundPair> k_rr_pairs(const KRandomizedResponse& mechanism, const KRRShape& shape);

void add_third_symbol(const Mechanism& mechanism, const KRRShape& shape, Applicable& list);

}  // namespace muster::accounting
