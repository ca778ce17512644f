// Adds the exact curves of single data sets, which are lower bounds, to the lists that the cover functions
// make (theorems/cover.h).
//
// Each function appends the two curves of one data set to `list.lowers`, or nothing if they are not
// computed for the mechanism. The comments say what the other clients of the data set hold. A list belongs
// to one thread; the curves in it may be called from any thread.
#pragma once

#include "muster/describe/mechanism.h"
#include "muster/theorems/cover.h"
#include "muster/theorems/round_shape.h"

namespace muster::accounting {

// All other clients hold the victim's alternative record (homogeneous.h). Nothing is appended for a
// randomizer that is given by a table of its profile, or by a channel without a pair (Channel::pair).
void add_homogeneous_pair(const Mechanism& mechanism, const RoundShape& shape, Applicable& list);

// All other clients hold the victim's alternative record, and everybody reports a Gaussian message. The
// curves are computed in another way than by add_homogeneous_pair() (shuffle_gaussian_pair.h).
void add_shuffle_gaussian_pair(const GaussianLocal& mechanism, ClientCount clients, Applicable& list);

// All other clients hold a third symbol of k-ary randomized response, k >= 3 (everyone/k_rr.h).
void add_third_symbol(const Mechanism& mechanism, const RoundShape& shape, Applicable& list);

// All other clients hold the victim's alternative record and have the smallest rate, and the victim has the
// largest (swap/unequal_rates.h). The randomizer is binary randomized response. Each mechanism of class C
// (in_class_c()) has the same curves at two opposite records; for PureLocal, binary randomized response is
// one of the epsilon0-LDP randomizers.
void add_unequal_rates_pair(const Mechanism& mechanism, double n, double lo, double hi, Applicable& list);

}  // namespace muster::accounting
