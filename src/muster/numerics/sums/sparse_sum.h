// The largest E(S - k)_+ over sums of terms of two laws that are nearly all zero: the few that are not, one
// count after another.
//
// See worst_mixture.h for V and for what `Mixing` means. Both laws have the same mass w away from zero, so N,
// how many terms are not zero, has one law whatever the types are, and given N = c the terms that are not are
// a uniform c of all. In the swap reading absent * n/(n - N) turns Bin(n - 1, w) into Bin(n, w):
//     V_i = sum over c of Bin(n, w)(c) E H(J, c - J),   J hypergeometric: of c drawn, those of the first law,
// H(j, l) the expectation for j nonzero terms of the first law and l of the second. With `terms * w` small
// the sum is short; counts beyond it are charged at c times the largest atom. The maximum over i is by branch
// and bound: in a block some terms are of the first law, some of the second, and the rest undecided, of which
// each drawn number is split in the worst way. Pure function; call from any thread.
#pragma once

#include <optional>

#include "muster/numerics/sums/atomic_law.h"
#include "muster/numerics/sums/worst_mixture.h"

namespace muster::numerics {

// value.lower is at most the larger of V at the two ends. None where more terms are expected than are worth
// counting, or where the laws have different masses or more atoms than two each (three where they are one).
std::optional<WorstMixture> few_terms_mixture(const AtomicLaw& first, const AtomicLaw& second, double terms,
                                              double k, Mixing mixing);

// E(Y_1 + ... + Y_n - k)_+ for n = 1 or 2 and any number of atoms, exactly but for rounding.
Enclosure excess_of_one_or_two(const AtomicLaw& law, double n, double k);

// E(Y_1 + ... + Y_n - k)_+ for one law, in the same way up to three atoms. With more, where a hundredth of a
// term is expected: one and two of them exactly, three between Jensen's inequality and the mean over pairs;
// none where that leaves more than 1e-7 open.
std::optional<Enclosure> few_terms_excess(const AtomicLaw& law, double n, double k);

}  // namespace muster::numerics
