// The randomizer l1 sends the sign of one coordinate of the Hadamard transform, for vectors clipped in the L1
// norm (R_1 of Girgis, Data, Diggavi, Kairouz, Suresh, "Shuffled model of differential privacy in federated
// learning", AISTATS 2021).
//
// The vector g of d coordinates is scaled down to |g|_1 <= C, the clip norm. D is the smallest power of two
// >= d, and H is the +-1 Hadamard matrix with D rows, H_ij = (-1)^(number of ones in i & j). The index j is
// uniform in {0, ..., D-1}. With t = (H g)_j in [-C, C] and c = (e^epsilon0 + 1)/(e^epsilon0 - 1), the sign b
// is +1 with probability 1/2 + t/(2 C c). The message is (j, b), of log2(D) + 1 bits. It is decoded to the
// first d coordinates of C c b H_j, where H_j is row j of H. This is an unbiased estimate of g because H^T H
// = D I. A client computes its one entry of H g in O(d). The aggregator counts signs and makes one fast
// transform of the counts per round, in integers. The function is pure, and a randomizer is immutable and may
// be shared between threads (randomizer.h).
#pragma once

#include <cstddef>
#include <memory>

#include "muster/randomizers/randomizer.h"

namespace muster::randomizers {

// randomizer.h states the ranges of the arguments.
std::unique_ptr<VectorRandomizer> make_l1(double epsilon0, double clip, std::size_t dimension);

}  // namespace muster::randomizers
