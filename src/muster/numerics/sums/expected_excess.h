// Certified enclosure of E(Y_1 + ... + Y_n - k)_+ for independent copies
// of a finitely supported law, for any n.
//
// Method: Laplace inversion along Re z = c at the saddle point,
//     E(S - k)_+ = (1/2 pi) int phi(c+it)^n e^{-(c+it)k} / (c+it)^2 dt,      phi(z) = E e^{zY},
// by the trapezoidal rule of step eta = 2 pi / P. By Poisson summation the rule returns
//     sum over integers m of  e^{-cmP} H(mP),      H(x) = E(S - k + x)_+.
// The m = 0 term is the answer and the others are nonnegative, so the rule errs upward, by an amount that
// is bounded through H(mP) <= H(0) + mP on the right and Chernoff's bound on the left. An independent
// centred normal Z of deviation s added to S makes the integrand negligible beyond a few times 1/s: by
// Jensen's inequality the upper bound stays one, and for the lower bound
//     E(S + Z - k)_+ - E(S - k)_+ <= s^2 density_{S+Z}(k),
// because E(x + Z)_+ - x_+ is at most s^2 times the density of Z at x. This is of second order in s, and
// the density is a by-product of the same sum. Frequencies whose term is negligible are leapt over with
// the Lipschitz constant of phi, so the work depends on n only through the number of frequencies that
// matter (about 100). Sums of up to 100 terms with at most three atoms are enumerated
// (enumerated_excess.h), and so are the nonzero terms where few are expected (sparse_sum.h); rare large
// terms are taken apart (rare_terms.h). References: docs/theory/profile-only.md, section "Numerics"; the
// exponential-tilt trapezoid is that of Abate & Whitt (1992), used here with one-sided error.
#pragma once

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {

// `law` has a finite number of atoms, n >= 1, and k is real; for a good relative accuracy
// k > n E Y - (a few deviations). Both ends are nonnegative. They differ by about 1e-6 of the value when
// many clients report, and by several per cent when n times the nonzero mass is below ten and the
// threshold is an atom of the sum.
Enclosure expected_excess(const AtomicLaw& law, double n, double k);

// Chernoff's bound min_c E e^{c(S-k)} / (e c) on the same quantity, rounded up: cheap, within a factor of
// about 10.
double expected_excess_chernoff(const AtomicLaw& law, double n, double k);

}  // namespace muster::numerics
