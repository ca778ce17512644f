// Certified upper bound of the maximum over h of E(S_h - k)_+ for S_h a sum of h independent terms of one
// law and otherwise terms of another: all h together, for about the work of one.
//
// `Mixing` chooses between two quantities. `product`: S_h has `terms` terms, h = 0..terms. `swap`: what
// the swap theorem for class C needs (Theorem 4). Here S_i has terms - 1 = m terms (the other clients),
// of which i follow the first law, and the quantity is
//     V_i = n E[ absent/(n - N_i) (S_i - k)_+ ],   n = terms, N_i the number of terms away from zero,
// where `absent` is a part of both laws' mass at zero: the terms that count as zero in N. At the ends the
// weight drops out: with G_h the product quantity on n terms, G_h >= (h/n) V_{h-1} + ((n-h)/n) V_h, with
// equality except for the event that no term is zero.
//
// Method. The trapezoidal rule of expected_excess.h turns every V_i into a finite sum over frequencies of
// kernel * phi_1^i phi_2^(m-i), all with nonnegative error. As a function of i that is a sum of geometric
// sequences, so its second difference is the sum of kernel * (phi_1 - phi_2)^2 phi_1^i phi_2^(m-2-i), and
// a bound beta on it for ALL i at once is the sum of |kernel| |phi_1 - phi_2|^2
// max(|phi_1|, |phi_2|)^(m-2). A sequence whose second differences are at least -beta lies below its
// chords plus beta x (L - x)/2. Chords are taken over 1, then 64, then 512 and more equal pieces of
// 0..terms, until what beta adds to the largest chord end is negligible. With Mixing::swap and up to 256
// terms every V is computed from the G instead. More smoothing is tried where beta stays large. The
// contour is the saddle point of the larger end, or where the two ends' transforms are alike if a mixture
// exceeds both. Up to 24 terms are enumerated (enumerated_mixture.h), and so are the nonzero terms where
// at most one is expected (sparse_sum.h). Reference: docs/theory/class-c.md, section "The maximum over
// all types". Pure function; call from any thread.
#pragma once

#include <optional>

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {

enum class Mixing { product, swap };

struct WorstMixture {
  // upper: at least every V. estimate: at most the largest V, to which with Mixing::swap the event that no
  // term is zero may have been added.
  UpperAndEstimate value;
  double slack;  // what the curvature allowance adds to the upper end, relative to the larger end
};

// `terms` is a whole number >= 1 (with Mixing::swap >= 2). `absent` is the mass at zero that counts as
// zero in N, where a law has more mass there; by default all of it. value.upper may be infinity where the
// contour gives no bound; it is never below the truth and never NaN.
WorstMixture worst_mixture_excess(const AtomicLaw& first, const AtomicLaw& second, double terms, double k,
                                  Mixing mixing, std::optional<double> absent = std::nullopt);

}  // namespace muster::numerics
