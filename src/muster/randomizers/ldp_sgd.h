// The randomizer ldp-sgd is the half-sphere randomizer of Duchi, Jordan and Wainwright, "Minimax optimal
// procedures for locally private estimation" (JASA 2018), as Algorithms 4-5 of Erlingsson et al., "Encode,
// shuffle, analyze privacy revisited" (2020, arXiv 2001.03618), state it.
//
// The direction v is uniform on the unit sphere of R^d. Let g be the gradient and C the clip norm. The sign b
// = sign<v,g> is negated with probability 1/2 - min(|g|,C)/(2C), then flipped with probability q =
// 1/(e^epsilon0 + 1). The message is (seed of v, b). It is decoded to C c kappa b v with c = (e^epsilon0 +
// 1)/(e^epsilon0 - 1) and kappa = sqrt(pi) Gamma((d+1)/2)/Gamma(d/2). This is an unbiased estimate of g
// min(1, C/|g|). Given v, the probability of either sign is in [q, 1-q] for every g, so the randomizer is
// epsilon0-LDP and of class C (Theorem 4, docs/theory/class-c.md). The function is pure, and a randomizer is
// immutable and may be shared between threads (randomizer.h).
#pragma once

#include <cstddef>
#include <memory>

#include "muster/randomizers/randomizer.h"

namespace muster::randomizers {

// randomizer.h states the ranges of the arguments.
std::unique_ptr<StreamRandomizer> make_ldp_sgd(double epsilon0, double clip, std::size_t dimension);

}  // namespace muster::randomizers
