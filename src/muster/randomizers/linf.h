// linf: the sign of one coordinate, for vectors clipped coordinate by coordinate (R_inf of Girgis, Data,
// Diggavi, Kairouz, Suresh, "Shuffled model of federated learning", 2021).
//
// Let C be the clip norm and g the vector, its d coordinates clamped to [-C, C]. The index j is uniform in
// {0, ..., d-1}; the sign b is +1 with probability 1/2 + g_j/(2 C c), where
// c = (e^epsilon0 + 1)/(e^epsilon0 - 1). The message is (j, b), of log2(d) + 1 bits with the logarithm
// rounded up. It is decoded to d C c b e_j, with e_j the j-th unit vector, an unbiased estimate of g. The
// aggregator counts signs: one addition per message.
#pragma once

#include <cstddef>
#include <memory>

#include "muster/randomizers/randomizer.h"

namespace muster::randomizers {

// randomizer.h says what the arguments may be.
std::unique_ptr<VectorRandomizer> make_linf(double epsilon0, double clip, std::size_t dimension);

}  // namespace muster::randomizers
