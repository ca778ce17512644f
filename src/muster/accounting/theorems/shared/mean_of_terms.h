// E( mean of n independent copies of a finite law )_+ , certified, from terms given in extended precision.
//
// Blankets, clone pairs and exact curves of equal data sets are all (1/n) E(X_1 + ... + X_n)_+ for a law X of
// three to a few hundred values. This file turns such a law into the centred AtomicLaw of numerics: the
// heaviest value goes to zero, where mass is free; points and threshold are rounded outward (up for the upper
// end, down for the lower one: the expectation is increasing in both), and the round-off of the weights is a
// factor (weight_error). Pure functions; call from any thread.
#pragma once

#include <vector>

#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// A value of X, exact to a few units of long double in relative terms, and its probability.
struct Term {
  long double value;
  long double mass;
};

// Masses >= 0 sum to at most 1; what is missing is at 0 (give that atom too where it is small: a remainder
// loses its digits). n >= 1. `upper` is at least the expectation, `lower` at most; upper - lower is numerical
// error alone. Never throws, never NaN; 0 <= lower <= upper.
numerics::Enclosure mean_of_terms(const std::vector<Term>& terms, double n);

// (1/n) E( X_1 + ... + X_count + (n - count) constant )_+ , 1 <= count <= n: the others are known.
numerics::Enclosure mean_of_terms(const std::vector<Term>& terms, double n, double count,
                                  long double constant);

}  // namespace muster::accounting
