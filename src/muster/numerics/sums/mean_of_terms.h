// Encloses (1/n) E(X_1 + ... + X_n)_+ for independent copies of a finite law X, given in extended precision.
//
// The bounds by blankets and by clones, and the exact curves of data sets in which all other clients hold one
// record, have this form, with laws of three to a few hundred values. To make such a law an AtomicLaw, its
// heaviest value is moved to zero, where the mass is implicit. For the upper end, points are rounded up and
// the threshold down; for the lower end, the other way round. The factor weight_error() (weight_error.h)
// covers the round-off of the weights. Pure functions; call from any thread.
#pragma once

#include <vector>

#include "muster/numerics/enclosure.h"

namespace muster::numerics {

// A value of X, with a relative error of a few ulps of long double, and its probability.
struct Term {
  long double value;
  long double mass;
};

// Encloses (1/n) E(X_1 + ... + X_n)_+ for n >= 1; upper - lower is only numerical error. Masses are >= 0 and
// sum to at most 1; missing mass is at 0. If the mass at 0 is small, give that atom explicitly, because 1
// minus the other masses has lost its digits. The function never throws. For finite arguments no end is NaN,
// and 0 <= lower <= upper.
Enclosure mean_of_terms(const std::vector<Term>& terms, double n);

// Encloses (1/n) E( X_1 + ... + X_count + (n - count) constant )_+ for 1 <= count <= n, where the other
// n - count terms are known to be `constant`.
Enclosure mean_of_terms(const std::vector<Term>& terms, double n, double count, long double constant);

}  // namespace muster::numerics
