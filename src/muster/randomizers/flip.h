// Turns a number into one private sign by two biased coins. The first coin gives the sign a mean proportional
// to the number; the second flips it for privacy. A constant factor makes the sign an unbiased estimate.
//
// The functions are thread-safe.
#pragma once

#include "muster/random/samplers.h"

namespace muster::randomizers {

// The flip probability q is a multiple of 2^-64. It is 1/(e^epsilon0 + 1), rounded up with a margin for the
// errors of its computation, so that (1 - q)/q <= e^epsilon0 holds for the rounded q. For the same q,
// `inverse_bias` is 1/(1 - 2q), so that the sign times `inverse_bias` is an unbiased estimate of the share
// (see negation_of). Up to the rounding of q, `inverse_bias` is c = (e^epsilon0 + 1)/(e^epsilon0 - 1).
struct Flip {
  random::Probability probability;
  double inverse_bias;
};

// Throws Error(plan) unless epsilon0 is in [1e-9, 700].
Flip flip_of(double epsilon0);

// A share is the number that one sign estimates, divided by the largest magnitude that clipping allows.
// Returns (1 - |share|)/2, the probability that the sign of the share is negated, rounded down to a multiple
// of 2^-64. A share outside [-1, 1] is treated as the nearest end of the interval.
random::Probability negation_of(double share);

// Draws a sign (true for +) with mean share * (1 - 2q). The sign of the share (positive for 0) is negated
// with probability negation_of(share), and the result is flipped with probability q = flip.probability. For
// every share, the probability of either sign is in [q, 1-q]. Consumes two 64-bit words.
bool noisy_sign(random::BitSource& bits, double share, const Flip& flip);

}  // namespace muster::randomizers
