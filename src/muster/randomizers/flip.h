// The coins that make one sign private: how often it is flipped,
// exactly, and what that makes of the estimate.
//
// Thread-safe.
#pragma once

#include "muster/random/samplers.h"

namespace muster::randomizers {

// The flip probability q as a multiple of 2^-64, rounded up from 1/(e^epsilon0 + 1) by a relative
// 2^-50 and more, so that (1 - q)/q <= e^epsilon0 holds for the coin that is tossed.
// `inverse_bias` is 1/(1 - 2q) of the same q, which is c = (e^epsilon0 + 1)/(e^epsilon0 - 1) up to
// that rounding: the estimate stays unbiased.
struct Flip {
  random::Probability probability;
  double inverse_bias;
};

// epsilon0 in [1e-9, 700], else Error(plan).
Flip flip_of(double epsilon0);

// The chance (1 - |share|)/2 that the sign of a share of the clip is turned around, to a multiple of 2^-64; a
// share outside [-1, 1] counts as its nearest end.
random::Probability negation_of(double share);

// A sign, true for +, of mean share * (1 - 2q): the share's own (0 is positive), negated with negation_of(),
// then flipped with q. Its chance lies in [q, 1-q] whatever the share. Takes two words.
bool noisy_sign(random::BitSource& bits, double share, const Flip& flip);

}  // namespace muster::randomizers
