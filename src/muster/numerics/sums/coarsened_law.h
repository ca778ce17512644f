// Replaces a law of many atoms, such as that of a term with a random weight, by one of few atoms that is
// above it in convex order.
//
// Atoms are collected in narrow bins. Up to one standard deviation from 0 the bins have equal widths; farther
// out the width is proportional to the distance from 0. Neighbouring bins are joined into intervals, and the
// mass of each interval is split between its two ends, with its mean unchanged. So the result is greater in
// convex order, and E(sum - k)_+ of independent copies can only grow. The width of an interval is at most 4 %
// of the sum of its distance from 0 and one deviation, and 0 is not inside it. An interval of several bins
// adds at most a ten-millionth of the variance. Sums are in extended precision: the error of a weight is at
// most an ulp, plus 2^-64 of the interval's mass for each of its atoms. The cost is linear in the number of
// atoms. Pure functions; call from any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {

// The coarsened law, or `law` itself if coarsening would not lower the number of atoms.
AtomicLaw coarsened_law(const AtomicLaw& law);

// The law of w Y, where Y has the law `law` and w > 0 is independent of Y. The values of w are `weights`,
// with the given `probabilities`, whose sum is 1. The result is exact if it has at most `most` atoms, or if
// coarsening would not lower their number; otherwise it is coarsened.
AtomicLaw coarsened_product(const AtomicLaw& law, const std::vector<double>& weights,
                            const std::vector<double>& probabilities, std::size_t most = 0);

}  // namespace muster::numerics
