// Encloses the expected excess of sums in which more than two nonzero terms are improbable, for laws of many
// atoms.
//
// Sums of one and of two nonzero terms are exact: for each point of the second term, the first term's
// expected excess comes from cumulative sums over its sorted points. For c > 2 terms Y_1, ..., Y_c, each
// conditioned to be nonzero, (Y_1 + ... + Y_c - k)_+ is by convexity at most the mean over pairs of
// (c/2 (Y_i + Y_j) - k)_+, and by Jensen's inequality its expectation is at least that of
// (Y_1 + Y_2 + (c-2) EY - k)_+. Where these two bounds are too far apart, the excess of c nonzero terms is an
// integral (excess_by_contour.h). That integral is a short one: the characteristic function of a sum of c
// nonzero terms decays, while that of a sum of which most terms are zero stays near the probability that all
// are. Pure functions; call from any thread.
#pragma once

#include <optional>

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {

// E(Y_1 + ... + Y_n - k)_+ for n = 1 or 2 and any number of atoms, exact up to rounding.
Enclosure excess_of_one_or_two(const AtomicLaw& law, double n, double k);

// The relative width up to which the bounds for three and more terms are enough for every use.
inline constexpr double kNarrowPairs = 1e-7;

// E(Y_1 + ... + Y_n - k)_+ for n >= 1 and any number of atoms. The result is nullopt if more than 0.01
// nonzero terms are expected, or if the ends differ by more than a relative `widest` and the value is not
// negligible. Nothing is integrated if `widest` is less than 5e-6, because hardly any integral is as narrow.
std::optional<Enclosure> excess_by_pairs(const AtomicLaw& law, double n, double k,
                                         double widest = kNarrowPairs);

}  // namespace muster::numerics
