// E(Y_1 + ... + Y_n - k)_+ by an inversion integral along the contour through the saddle point: the
// strategy of expected_excess.h for which nothing is special about the law. The method and the directions
// of its errors stand there. Pure function.
#pragma once

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {

// The zero over c of d/dc log( E e^{c(S-k)} / c^2 ): the contour on which the integrand is smallest.
double excess_saddle(const AtomicLaw& law, double n, double k);

// For n >= 1 copies of a law that has an atom above k/n. Where no affordable smoothing makes the integrand
// decay, and where the value is too small to matter, the upper end is Chernoff's bound and the lower one 0.
Enclosure excess_by_contour(const AtomicLaw& law, double n, double k);

}  // namespace muster::numerics
