// Replaces a law of many atoms by one of few that is above it in convex order, for sums of terms
// with random weights.
//
// Atoms are collected in narrow bins, of equal width up to one deviation of the law from 0 and geometric
// beyond. The mass of each bin is split between the two ends of the kept interval around it, with its
// mean unchanged. So the result is greater in convex order, and E(sum - k)_+ of independent copies
// can only grow. Each interval adds at most a ten-millionth of the variance, spans at most 4 % of the
// sum of its distance from 0 and one deviation, and does not contain 0 inside. Sums are in extended
// precision, so each weight is within an ulp of the exact split. The cost is linear in the number of
// atoms. Pure functions.
#pragma once

#include <cstddef>
#include <vector>

#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {

AtomicLaw coarsened_law(const AtomicLaw& law);

// The law of w Y, for w > 0 independent of Y with the given values and probabilities (of sum 1). It is
// exact if it has at most `most` atoms, and coarsened otherwise.
AtomicLaw coarsened_product(const AtomicLaw& law, const std::vector<double>& weights,
                            const std::vector<double>& probabilities, std::size_t most = 0);

}  // namespace muster::numerics
