// The coins that make one sign private: the exact probability of a flip, and the factor that keeps the
// estimate unbiased.
//
// Thread-safe.
#pragma once

#include "muster/random/samplers.h"

namespace muster::randomizers {

// The flip probability q is a multiple of 2^-64. It is rounded up from 1/(e^epsilon0 + 1), with a margin for
// the errors of its computation, so that (1 - q)/q <= e^epsilon0 holds for the coin that is actually tossed.
// `inverse_bias` is 1/(1 - 2q) of the same q, so the estimate stays unbiased; up to that rounding it is
// c = (e^epsilon0 + 1)/(e^epsilon0 - 1).
struct Flip {
  random::Probability probability;
  double inverse_bias;
};

// epsilon0 must lie in [1e-9, 700], else Error(plan).
Flip flip_of(double epsilon0);

// A share is the number that one sign estimates, divided by the largest magnitude that clipping allows.
// Returns the probability (1 - |share|)/2 that its sign is negated, rounded down to a multiple of 2^-64. A
// share outside [-1, 1] is treated as the nearest end.
random::Probability negation_of(double share);

// Draws a sign (true for +) of mean share * (1 - 2q): the sign of the share itself (positive for 0) is
// negated with probability negation_of(share), then flipped with probability q = flip.probability. The
// probability of either sign lies in [q, 1-q] whatever the share. Consumes two 64-bit words.
bool noisy_sign(random::BitSource& bits, double share, const Flip& flip);

}  // namespace muster::randomizers
