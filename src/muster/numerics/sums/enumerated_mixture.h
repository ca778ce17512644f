// The largest E(S - k)_+ over sums of terms of two laws, by summing over all counts of the atoms,
// for at most 24 terms.
//
// See worst_mixture.h for what `Mixing` means. With two nonzero atoms per law there are
// O(terms^5) products, all positive, and the relative round-off is below 1e-12. Pure functions;
// call from any thread.
#pragma once

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"
#include "muster/numerics/sums/worst_mixture.h"

namespace muster::numerics {

// Whether there are at most 24 terms and two nonzero atoms per law.
bool enumerable_mixture(const AtomicLaw& first, const AtomicLaw& second, double terms);

// Requires enumerable_mixture.
Enclosure enumerated_mixture(const AtomicLaw& first, const AtomicLaw& second, double terms, double k,
                             Mixing mixing);

}  // namespace muster::numerics
