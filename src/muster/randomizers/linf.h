// The randomizer linf sends the sign of one coordinate, for vectors clipped coordinate by coordinate (R_inf
// of Girgis, Data, Diggavi, Kairouz, Suresh, "Shuffled model of differential privacy in federated learning",
// AISTATS 2021).
//
// Let C be the clip norm, and clamp the d coordinates of the vector g to [-C, C]. The index j is uniform in
// {0, ..., d-1}. With c = (e^epsilon0 + 1)/(e^epsilon0 - 1), the sign b is +1 with probability 1/2 + g_j/(2 C
// c). The message is (j, b), of log2(d) + 1 bits, where the logarithm is rounded up. It is decoded to d C c b
// e_j, where e_j is the j-th unit vector. This is an unbiased estimate of the clamped g. The aggregator
// counts signs, with one addition per message. The function is pure, and a randomizer is immutable and may be
// shared between threads (randomizer.h).
#pragma once

#include <cstddef>
#include <memory>

#include "muster/randomizers/randomizer.h"

namespace muster::randomizers {

// randomizer.h states the ranges of the arguments.
std::unique_ptr<VectorRandomizer> make_linf(double epsilon0, double clip, std::size_t dimension);

}  // namespace muster::randomizers
