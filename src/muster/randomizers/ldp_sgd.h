// ldp-sgd: the half-sphere randomizer of Duchi, Jordan and Wainwright, "Minimax optimal procedures for
// locally private estimation" (2018), as Algorithms 4-5 of Erlingsson et al., "Encode, shuffle, analyze
// privacy revisited" (2020).
//
// v uniform on the unit sphere of R^d, b = sign<v,g>, negated with probability 1/2 - min(|g|,C)/(2C), then
// flipped with probability q = 1/(e^epsilon0 + 1). The message is (seed of v, b); it is decoded to C c kappa
// b v with c = (e^epsilon0 + 1)/(e^epsilon0 - 1), kappa = sqrt(pi) Gamma((d+1)/2)/Gamma(d/2), an unbiased
// estimate of g min(1, C/|g|). Given v the bit has probability within [q, 1-q], whatever g: epsilon0-LDP, a
// member of class C.
#pragma once

#include <cstddef>
#include <memory>

#include "muster/randomizers/randomizer.h"

namespace muster::randomizers {

// epsilon0 in [1e-9, 700], clip in [1e-20, 1e20], 1 <= dimension < 2^31, else Error(plan).
std::unique_ptr<VectorRandomizer> make_ldp_sgd(double epsilon0, double clip, std::size_t dimension);

}  // namespace muster::randomizers
