// The randomizer l2 is the half-sphere randomizer of ldp_sgd.h, for vectors clipped in the L2 norm. It takes
// the place of the coordinate sampler R_2 of Girgis, Data, Diggavi, Kairouz, Suresh, "Shuffled model of
// differential privacy in federated learning" (AISTATS 2021).
//
// R_2 sends the sign of one coordinate of a Kashin (or any other) representation. R_2 is as private as the
// half-sphere randomizer, but never more accurate. With q = 1/(e^epsilon0 + 1), consider all unbiased
// samplers that send an index drawn from a fixed law and a sign whose probability is in [q, 1-q]. In every
// dimension, the half-sphere randomizer has the smallest second moment among them
// (docs/theory/vector-randomizers.md). Its messages have 129 bits; a coordinate sampler would need about
// log2(d) + 2 bits in d dimensions. The function is pure, and a randomizer is immutable and may be shared
// between threads (randomizer.h).
#pragma once

#include <cstddef>
#include <memory>

#include "muster/randomizers/randomizer.h"

namespace muster::randomizers {

// randomizer.h states the ranges of the arguments.
std::unique_ptr<VectorRandomizer> make_l2(double epsilon0, double clip, std::size_t dimension);

}  // namespace muster::randomizers
