// Encloses E(Y_1 + ... + Y_n - k)_+ by summing over how many of the Y_i equal each atom. This is for small n
// and few atoms, where the integrand of the contour integral (expected_excess.h) does not decay. There are
// O(n^atoms) summands, none of them negative. The enclosure allows for round-off: a relative 1e-12 of the
// result and, in each summand, 1e-14 of |k| and the moduli of the terms. Pure functions; call from any
// thread.
#pragma once

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {

// Whether the enumeration is cheaper than a contour integral: n <= 100 and at most 3 nonzero atoms.
bool enumerable(const AtomicLaw& law, double n);

// Requires enumerable(law, n).
Enclosure enumerated_excess(const AtomicLaw& law, double n, double k);

}  // namespace muster::numerics
