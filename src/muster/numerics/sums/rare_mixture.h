// Certified upper bound of the maximum over h of the quantities V_h of worst_mixture.h, for sums to which
// rare large terms contribute much. The large terms are bounded separately, the rest by
// worst_mixture_excess().
//
// Let n be the number of terms, k the threshold, and B a size above which a term is called large. For y > B
// let w(y) be the larger of the two laws' weights at y, and p the sum of w. Let X be a variable whose
// expected excess is at least that of both laws at every threshold. Splitting by the number of large terms
// gives for every h, with either kind of Mixing,
//     V_h <= V'_h + n sum over y > B of w(y) ( C(k - y) + n l )
//                 + (np/2) ( n sum over y > B of w(y) C(k - 2y) + np n l ).
// The first part, V'_h, is for no large term: it is V_h for both laws with the mass above B moved to zero.
// In the second part one term is large, and the sum of the others is below that of n - 1 copies of X in
// increasing convex order. C(x) is at least E(S' - x)_+ for the sum S' of n - 1 copies of min(X, B), and
// l = E(X - B)_+. The term n l is for the parts of the copies above B, by (x + a)_+ <= x_+ + a_+. In the
// third part two or more terms are large. It is bounded by the method of rare_terms.h, and here S' in the
// definition of C is a sum of n - 2 copies of min(X, B). Proof: docs/theory/gaussian-two-types.md, "Rare
// large terms of two types". Pure function; call from any thread.
#pragma once

#include <optional>

#include "muster/numerics/sums/atomic_law.h"
#include "muster/numerics/sums/worst_mixture.h"

namespace muster::numerics {

// The points of each law must be in increasing order, and `terms` must be at least 3. The other arguments and
// the result are those of worst_mixture_excess; value.upper may be infinity.
WorstMixture worst_mixture_with_rare_terms(const AtomicLaw& first, const AtomicLaw& second, double terms,
                                           double k, Mixing mixing,
                                           std::optional<double> absent = std::nullopt);

}  // namespace muster::numerics
