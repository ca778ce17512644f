// Certified upper bound of the maximum over i of E(S_i - k)_+, where S_i is a sum of independent terms, i of
// them of one law and the rest of another. The bound covers all i together, for about the work of a single i.
//
// `Mixing` chooses between two quantities V_i; in both, n = `terms`. With `product`, S_i has n terms,
// i = 0..n, and V_i = E(S_i - k)_+. With `swap`, V_i is the quantity in the swap theorem for class C
// (Theorem 4, docs/theory/class-c.md). Here S_i has m = n - 1 terms (the other clients), of which i = 0..m
// follow the first law, and
//     V_i = n E[ absent/(n - N_i) (S_i - k)_+ ],
// where N_i is the number of the m terms that are not absent. A term is absent, and then 0, with probability
// `absent`; a law may have more mass at zero, which does not count as absent. Let G_h be V_h for `product`,
// with h of n terms of the first law. Then G_h >= (h/n) V_{h-1} + ((n-h)/n) V_h for `swap`, with equality
// except for the event that no term is absent. At the ends h = 0 and h = n, the right-hand side is a single
// V_i. So G_h is an upper bound of this V_i, and it is computed without the weight absent/(n - N_i).
//
// Method. The trapezoidal rule of expected_excess.h turns every V_i into a finite sum over frequencies of
// kernel * phi_1^i phi_2^(m-i), with nonnegative error. phi_1 and phi_2 are the transforms of the two laws,
// and mixture_samples.h has the kernel. For `product`, m = n. For `swap`, 1/(n - N_i) is the integral of
// t^(n-N_i-1) over [0, 1]; so the mass of an absent term is multiplied by t in both transforms, and the sum
// is integrated over t. As a function of i, V_i is a sum of geometric sequences, so its second difference is
// the sum of kernel * (phi_1 - phi_2)^2 phi_1^i phi_2^(m-2-i). The sum of
// |kernel| |phi_1 - phi_2|^2 max(|phi_1|, |phi_2|)^(m-2) bounds this difference for ALL i at once and is
// called beta. A sequence whose second differences are at least -beta lies below its chords plus
// beta x (L - x)/2, at the distance x from the left end of a chord of length L. Chords are taken over 1, then
// 64, then 512 and more equal pieces of 0..n, until what beta adds to the largest chord end is negligible.
// With Mixing::swap and up to 256 terms, every V_i is computed from the G_h instead. More smoothing is tried
// where beta stays large. The contour goes through the saddle point of the larger end (all terms of one law)
// or, if a mixture is likely to exceed both ends, through a point where the transforms of the two ends are
// about equal. For laws of at most two nonzero atoms and `absent` not given, there are two exact methods: up
// to 24 terms are enumerated (enumerated_mixture.h), and where at most one nonzero term is expected, the sum
// is over the nonzero terms only (sparse_sum.h). Reference: docs/theory/class-c.md, section "The maximum over
// all types". Pure function; call from any thread.
#pragma once

#include <optional>

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {

// Which of the two quantities V_i described above is bounded.
enum class Mixing { product, swap };

struct WorstMixture {
  // `upper` is at least every V_i. `estimate` is at most the largest V_i, or with Mixing::swap at most that
  // plus the part of a G_h where no term is absent.
  UpperAndEstimate value;
  double slack;  // the part of value.upper that allows for beta, divided by the larger end
};

// `terms` is a whole number >= 1 (with Mixing::swap >= 2). `absent` matters with Mixing::swap only and must
// be given if a law has more mass at zero; by default it is the first law's mass at zero. value.upper is at
// least the true maximum and never NaN; it is infinity where the contour gives no bound.
WorstMixture worst_mixture_excess(const AtomicLaw& first, const AtomicLaw& second, double terms, double k,
                                  Mixing mixing, std::optional<double> absent = std::nullopt);

}  // namespace muster::numerics
