// The largest E(S - k)_+ over sums S of terms of two laws, where nearly all terms are zero, by conditioning
// on the number of nonzero terms.
//
// See worst_mixture.h for n, for V_i and for what `Mixing` means. Both laws have the same mass w away from
// zero, so the law of the number N of nonzero terms does not depend on i. Given N = c, the nonzero terms are
// a uniformly random choice of c terms. With Mixing::swap the weight absent * n/(n - N) turns the law
// Bin(n - 1, w) of N into Bin(n, w):
//     V_i = sum over c of Bin(n, w)(c) E H(J, c - J),
// where H(j, l) is the expected excess for j nonzero terms of the first law and l of the second. J is the
// number of terms of the first law among the c; its law is hypergeometric. If n w is small, few counts c
// matter; for the others, H is bounded by c times the largest atom (plus -k if k < 0). The maximum over i is
// found by branch and bound. In a block of values of i, some terms are of the first law, some of the second,
// and the rest are undecided. The bound of a block splits the nonzero undecided terms between the laws in the
// worst way. Pure functions; call from any thread.
#pragma once

#include <optional>

#include "muster/numerics/sums/atomic_law.h"
#include "muster/numerics/sums/term_pairs.h"
#include "muster/numerics/sums/worst_mixture.h"

namespace muster::numerics {

// The largest V_i. In the result, value.estimate is at most the larger V_i of the two ends, where all terms
// are of one law. Returns nullopt if more than one nonzero term is expected, if k exceeds 64 times the
// largest atom, if the laws' masses away from zero differ or are 0, if a law has more than two nonzero atoms,
// or if atoms or weights are extreme (kHugeAtom and kTinyWeight in sparse_sum.cc).
std::optional<WorstMixture> few_terms_mixture(const AtomicLaw& first, const AtomicLaw& second, double terms,
                                              double k, Mixing mixing);

// E(Y_1 + ... + Y_n - k)_+ for one law. If the law has at most three nonzero atoms, this is computed in the
// same way, and the result is nullopt in the other cases named above. If the law has more atoms, the result
// is that of excess_by_pairs() (term_pairs.h), with this `widest`, or nullopt if atoms or weights are extreme
// or n < 1.
std::optional<Enclosure> few_terms_excess(const AtomicLaw& law, double n, double k,
                                          double widest = kNarrowPairs);

}  // namespace muster::numerics
