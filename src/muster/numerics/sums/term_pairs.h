// Encloses the expected excess of sums in which more than two nonzero terms are improbable, for laws of many
// atoms.
//
// Sums of one and of two nonzero terms are exact: for each point of the second term, the first term's
// expected excess comes from cumulative sums over its sorted points. For c > 2 terms Y_1, ..., Y_c, each
// conditioned to be nonzero, (Y_1 + ... + Y_c - k)_+ is by convexity at most the mean over pairs of
// (c/2 (Y_i + Y_j) - k)_+, and by Jensen's inequality its expectation is at least that of
// (Y_1 + Y_2 + (c-2) EY - k)_+. Pure functions; call from any thread.
#pragma once

#include <optional>

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {

// E(Y_1 + ... + Y_n - k)_+ for n = 1 or 2 and any number of atoms, exact up to rounding.
Enclosure excess_of_one_or_two(const AtomicLaw& law, double n, double k);

// E(Y_1 + ... + Y_n - k)_+ for n >= 1 and any number of atoms. None if more than 0.01 nonzero terms are
// expected, or if the ends differ by more than a relative 1e-7 and the value is not negligible.
std::optional<Enclosure> excess_by_pairs(const AtomicLaw& law, double n, double k);

}  // namespace muster::numerics
