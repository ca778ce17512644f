// E(Y_1 + ... + Y_n - k)_+ by an inversion integral along the contour through the saddle point.
// expected_excess() uses it if no special strategy applies; expected_excess.h describes the method and the
// directions of its errors. Pure functions; call from any thread.
#pragma once

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {

// The saddle point of the integrand, for S = Y_1 + ... + Y_n: the zero c > 0 of
// d/dc log( E e^{c(S-k)} / c^2 ).
double excess_saddle(const AtomicLaw& law, double n, double k);

// Encloses the expected excess for n >= 1 copies of a law that has an atom above k/n. The upper end is
// Chernoff's bound and the lower end 0 if no affordable smoothing makes the integrand decay, if the value is
// too small to matter, or if no bound on the integral's round-off can be given. Smoothing widens the
// enclosure by about 5e-6 of the value for a law of few atoms and 2.5e-5 for a law of many, or by `width` of
// it if that is more; the number of frequencies falls with the square root of the width.
Enclosure excess_by_contour(const AtomicLaw& law, double n, double k, double width = 0);

}  // namespace muster::numerics
