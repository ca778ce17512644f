// Encloses the maximum over i that worst_mixture.h bounds, for at most 24 terms, by summing over how many
// terms equal each atom.
//
// See worst_mixture.h for what `Mixing` means. With two nonzero atoms per law there are O(terms^5) products,
// none of them negative. The enclosure allows for round-off: a relative 1e-12 of the result and, in each
// product, 1e-14 of |k| and the moduli of the terms. Pure functions; call from any thread.
#pragma once

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"
#include "muster/numerics/sums/worst_mixture.h"

namespace muster::numerics {

// Whether there are at most 24 terms and two nonzero atoms per law.
bool enumerable_mixture(const AtomicLaw& first, const AtomicLaw& second, double terms);

// Requires enumerable_mixture(first, second, terms).
Enclosure enumerated_mixture(const AtomicLaw& first, const AtomicLaw& second, double terms, double k,
                             Mixing mixing);

}  // namespace muster::numerics
