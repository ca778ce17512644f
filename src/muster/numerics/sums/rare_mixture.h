// Certified upper bound of max over h of E(S_h - k)_+ where rare large terms carry much of it:
// worst_mixture.h for what is left when they are taken apart.
//
// Let B be a size, w(y) for y > B the larger of the two laws' weights there, p = sum of w, and L a law whose
// stop-loss transform is at least both laws'. By how many terms pass B, and for every h, in either reading of
// worst_mixture.h,
//     V_h <= V'_h + n sum over y > B of w(y) ( C(k - y) + n l )
//                 + (np/2) ( n sum over y > B of w(y) C(k - 2y) + np n l ).
// V'_h: no large term, both laws with their large terms put at zero. The second part: one term is large, and
// the others, in the swap reading with n - 1 in place of n, are below sums of L in increasing convex order;
// C(x) >= E(sum of L capped at B - x)_+, l = E(L - B)_+, by (x + a)_+ <= x_+ + a_+. The third: two or more,
// as in rare_terms.h. docs/theory/gaussian-two-types.md, "Rare large terms of two types". Pure function; call
// from any thread.
#pragma once

#include "muster/numerics/sums/atomic_law.h"
#include "muster/numerics/sums/worst_mixture.h"

namespace muster::numerics {

// Points of both laws increasing, the same but for points of weight 0; terms >= 3. The other arguments and
// the result as in worst_mixture_excess; `upper` may be infinity.
WorstMixture worst_mixture_with_rare_terms(const AtomicLaw& first, const AtomicLaw& second, double terms,
                                           double k, Mixing mixing,
                                           std::optional<double> absent = std::nullopt);

}  // namespace muster::numerics
