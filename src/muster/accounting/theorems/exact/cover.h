// Adds the exact curves of single data sets, which are lower bounds, to the lists that the cover functions
// make (theorems/cover.h).
//
// Each function appends to `list.lowers`, or adds nothing if its data set says nothing about the mechanism.
// A list belongs to one thread; the curves in it may be called from any thread.
#pragma once

#include "muster/accounting/theorems/cover.h"
#include "muster/accounting/theorems/shared/round_shape.h"
#include "muster/describe/mechanism.h"

namespace muster::accounting {

// All other clients hold the victim's alternative record (homogeneous.h).
void add_homogeneous_pair(const Mechanism& mechanism, const RoundShape& shape, Applicable& list);

// All other clients hold the victim's alternative record, and everybody reports a Gaussian message. The curve
// is computed in another way (shuffle_gaussian_pair.h).
void add_shuffle_gaussian_pair(const GaussianLocal& mechanism, ClientCount clients, Applicable& list);

// All other clients hold a third symbol of k-ary randomized response, k >= 3 (everyone/k_rr.h).
void add_third_symbol(const Mechanism& mechanism, const RoundShape& shape, Applicable& list);

// Rates differ: the victim has the largest rate, and the others, who all hold her alternative record, have
// the smallest (swap/unequal_rates.h). The randomizer is binary randomized response, whose curves every
// member of class C attains.
void add_unequal_rates_pair(const Mechanism& mechanism, double n, double lo, double hi, Applicable& list);

}  // namespace muster::accounting
