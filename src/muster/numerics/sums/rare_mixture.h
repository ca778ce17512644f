// Certified upper bound of the maximum over h of E(S_h - k)_+ where rare large terms contribute much of
// it: they are bounded apart from the rest, which worst_mixture.h bounds.
//
// Let B be a size, w(y) for y > B the larger of the two laws' weights at y, p the sum of w, and L a law
// whose expected excess is at least that of both laws at every threshold. Splitting by the number of
// terms above B gives for every h, with either kind of Mixing,
//     V_h <= V'_h + n sum over y > B of w(y) ( C(k - y) + n l )
//                 + (np/2) ( n sum over y > B of w(y) C(k - 2y) + np n l ).
// V'_h: no term is large; it is the value for both laws with their large terms put at zero. The second
// part: one term is large, and the others (with Mixing::swap, n - 1 in place of n) are below sums of
// copies of L in increasing convex order. Here C(x) >= E(sum of copies of L capped at B - x)_+ and
// l = E(L - B)_+, by (x + a)_+ <= x_+ + a_+. The third part: two or more terms are large, as in
// rare_terms.h. Proof: docs/theory/gaussian-two-types.md, "Rare large terms of two types". Pure function;
// call from any thread.
#pragma once

#include <optional>

#include "muster/numerics/sums/atomic_law.h"
#include "muster/numerics/sums/worst_mixture.h"

namespace muster::numerics {

// Both laws have the same points in increasing order, except that points of weight 0 may be
// missing; terms >= 3. The other arguments and the result are those of worst_mixture_excess;
// `upper` may be infinity.
WorstMixture worst_mixture_with_rare_terms(const AtomicLaw& first, const AtomicLaw& second, double terms,
                                           double k, Mixing mixing,
                                           std::optional<double> absent = std::nullopt);

}  // namespace muster::numerics
