// The coin that makes ldp-sgd private: how often the bit is flipped, exactly, and what that makes of the
// estimate.
#pragma once

#include "muster/random/samplers.h"

namespace muster::randomizers {

// The flip probability q as a multiple of 2^-64, rounded up from 1/(e^epsilon0 + 1) by a relative 2^-50 and
// more, so that (1 - q)/q <= e^epsilon0 holds for the coin that is tossed. `inverse_bias` is 1/(1 - 2q) of
// the same q, which is c = (e^epsilon0 + 1)/(e^epsilon0 - 1) up to that rounding: the estimate stays
// unbiased.
struct Flip {
  random::Probability probability;
  double inverse_bias;
};

// epsilon0 in [1e-9, 700], else Error(plan).
Flip flip_of(double epsilon0);

}  // namespace muster::randomizers
