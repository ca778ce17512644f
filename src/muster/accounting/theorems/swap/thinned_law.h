// A law with many atoms put on few, upward in convex order: what a sum of a random share of a term is fed.
//
// Atoms are collected in narrow bins (linear up to a deviation of the law, geometric beyond), and each bin's
// mass is split between the two ends of the kept interval around it with its mean unchanged: the result is
// greater in convex order, so E(sum - k)_+ of independent copies can only grow. Intervals are chosen so that
// each adds at most a ten-millionth of the variance, spans at most 4 % of its distance from 0 plus a
// deviation, and none contains 0 inside. Sums are in extended precision: each weight is within an ulp of the
// exact split. Linear in the number of atoms. Pure functions.
#pragma once

#include <cstddef>
#include <vector>

#include "muster/numerics/sums/atomic_law.h"

namespace muster::accounting {

numerics::AtomicLaw thinned_law(const numerics::AtomicLaw& law);

// The law of w Y, w > 0 independent of Y with the given values and probabilities (of sum 1): exactly, or
// thinned out when it has more than `most` atoms.
numerics::AtomicLaw thinned_product(const numerics::AtomicLaw& law, const std::vector<double>& weights,
                                    const std::vector<double>& probabilities, std::size_t most = 0);

}  // namespace muster::accounting
