// Certified enclosure of E(Y_1 + ... + Y_n - k)_+ for independent copies
// of a finitely supported law, for any n.
//
// Method: Laplace inversion along Re z = c at the saddle point,
//     E(S - k)_+ = (1/2 pi) int phi(c+it)^n e^{-(c+it)k} / (c+it)^2 dt,      phi(z) = E e^{zY},
// by the trapezoidal rule of step eta = 2 pi / P. By Poisson summation the rule returns
//     sum over integers m of  e^{-cmP} E(S - k + mP)_+,
// whose m = 0 term is the answer and whose other terms are nonnegative: the rule errs upward, by
// an amount bounded through H(mP) <= H(0) + mP on the right and Chernoff on the left. An
// independent centred normal of deviation s added to S makes the integrand vanish beyond 9/s:
// Jensen keeps the upper bound, and for the lower one
//     E(S + Z - k)_+ - E(S - k)_+ <= s^2 density_{S+Z}(k),
// because E(x + Z)_+ - (x)_+ <= s phi(x/s): second order in s, and the density is a by-product of the same
// sum. Frequencies whose term is negligible are leapt over with the Lipschitz constant of phi, so the work
// depends on n only through the number of frequencies that matter (about 100). Up to 100 terms of three atoms
// are enumerated, and so are the few that are expected away from zero (sparse_sum.h). References:
// docs/theory/profile-only.md, section "Numerics"; the exponential-tilt trapezoid is Abate & Whitt (1992),
// used here with one-sided error.
#pragma once

#include <cstdint>

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {

// `law` must have a finite number of atoms; n >= 1; k real, k > n E Y - (a few deviations) for good relative
// accuracy. Both ends are nonnegative; they differ by about 1e-6 of the value when many clients report, by
// per cents when n times the nonzero mass is below ten and the threshold is an atom of the sum.
Enclosure expected_excess(const AtomicLaw& law, double n, double k);

// Chernoff's bound min_c E e^{c(S-k)} / (e c) on the same quantity: cheap, within a factor of about 10.
double expected_excess_chernoff(const AtomicLaw& law, double n, double k);

}  // namespace muster::numerics
