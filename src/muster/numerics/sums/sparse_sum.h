// The largest E(S - k)_+ over sums of terms of two laws that are nearly all zero, by adding up over the
// number of nonzero terms.
//
// See worst_mixture.h for V and for what `Mixing` means. Both laws have the same mass w away from zero,
// so the number N of nonzero terms has the same law whatever the types are. Given N = c, the nonzero
// terms are a uniformly random choice of c terms. With Mixing::swap the weight absent * n/(n - N) turns
// Bin(n - 1, w) into Bin(n, w):
//     V_i = sum over c of Bin(n, w)(c) E H(J, c - J),
// where J is hypergeometric, the number of terms of the first law among the c, and H(j, l) is the
// expected excess for j nonzero terms of the first law and l of the second. With `terms * w` small the
// sum is short; larger counts are bounded by c times the largest atom. The maximum over i is by branch
// and bound: in a block of i some terms are of the first law, some of the second, and the rest are
// undecided; whatever number of these is drawn is split between the laws in the worst way. Pure function;
// call from any thread.
#pragma once

#include <optional>

#include "muster/numerics/sums/atomic_law.h"
#include "muster/numerics/sums/worst_mixture.h"

namespace muster::numerics {

// value.lower is at most the larger of V at the two ends. None where more than one nonzero term is
// expected, where k exceeds 24 times the largest atom, or where the laws have different masses away from
// zero or more than two atoms each.
std::optional<WorstMixture> few_terms_mixture(const AtomicLaw& first, const AtomicLaw& second, double terms,
                                              double k, Mixing mixing);

// E(Y_1 + ... + Y_n - k)_+ for one law, in the same way if it has at most three atoms. With more atoms,
// by pairs of terms (term_pairs.h). None where these conditions fail.
std::optional<Enclosure> few_terms_excess(const AtomicLaw& law, double n, double k);

}  // namespace muster::numerics
