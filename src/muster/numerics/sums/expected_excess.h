// Certified enclosure of the expected excess (stop-loss transform) E(S - k)_+ of a sum S = Y_1 + ... + Y_n of
// independent copies of a finitely supported Y, for any n.
//
// Method: Laplace inversion along Re z = c at the saddle point,
//     E(S - k)_+ = (1/2 pi) int phi(c+it)^n e^{-(c+it)k} / (c+it)^2 dt,      phi(z) = E e^{zY},
// by the trapezoidal rule of step eta = 2 pi / P. By Poisson summation the rule returns
//     sum over integers m of  e^{-cmP} H(mP),      H(x) = E(S - k + x)_+.
// The m = 0 term is the answer. The others, called aliases, are nonnegative, so the rule errs upward. The
// error is bounded through H(mP) <= H(0) + mP for m > 0 and Chernoff's bound for m < 0. An independent
// centred normal Z of standard deviation s, the smoothing, is added to S. It makes the integrand negligible
// for t beyond a few times 1/s. By Jensen's inequality the upper bound remains an upper bound. For the lower
// bound, the right-hand side of
//     E(S + Z - k)_+ - E(S - k)_+ <= s^2 density_{S+Z}(k)
// is subtracted. This inequality holds because E(x + Z)_+ - x_+ is at most s^2 times the density of Z at x.
// The density of S + Z at k is a by-product of the same sum. Frequencies whose term is negligible are
// skipped with the help of the Lipschitz constant of phi, so the work depends on n only through the number
// of frequencies that matter (about 100). Special cases are computed in other ways: one or two terms
// (term_pairs.h), up to 100 terms of at most three atoms (enumerated_excess.h), and sums of which few terms
// are expected to be nonzero (sparse_sum.h). Rare large terms are treated separately (rare_terms.h).
// References: docs/theory/profile-only.md, section "Numerics"; Abate & Whitt (1992) for the exponential-tilt
// trapezoid, whose error is one-sided here. Pure functions; call from any thread.
#pragma once

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {

// Requires n >= 1. The relative accuracy is good if k is not more than a few standard deviations below the
// mean of the sum. If k is not finite, the upper end is infinity; it may be infinity if the sum's variance is
// beyond the range of a double. Both ends are nonnegative. They differ by about 1e-5 of the value if many
// terms are nonzero, and by several per cent if n times the nonzero mass is below ten and the threshold is an
// atom of the sum.
Enclosure expected_excess(const AtomicLaw& law, double n, double k);

// Chernoff's bound E e^{c(S-k)} / (e c) on the same quantity at the saddle point c, rounded up. It is cheap.
// For sums that are nearly normal it is at most about 10 times the value while that is above 1e-25. Farther
// out, and for sums of rare terms, it can be a hundred times the value.
double expected_excess_chernoff(const AtomicLaw& law, double n, double k);

}  // namespace muster::numerics
