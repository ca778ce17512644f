// l2: the half-sphere randomizer of ldp_sgd.h, used instead of a coordinate sampler for vectors clipped in
// the L2 norm (R_2 of Girgis, Data, Diggavi, Kairouz, Suresh, "Shuffled model of federated learning", 2021).
//
// One coordinate of a Kashin (or any other) representation, sent as one sign, would be as private but
// never more accurate: among all samplers of an index from a fixed law and a sign with probability in
// [q, 1-q], the half-sphere has the smallest second moment in every dimension
// (docs/theory/vector-randomizers.md). It costs 129 bits per message instead of about log2(d) + 2.
#pragma once

#include <cstddef>
#include <memory>

#include "muster/randomizers/randomizer.h"

namespace muster::randomizers {

// randomizer.h says what the arguments may be.
std::unique_ptr<VectorRandomizer> make_l2(double epsilon0, double clip, std::size_t dimension);

}  // namespace muster::randomizers
