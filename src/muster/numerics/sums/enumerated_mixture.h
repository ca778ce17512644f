// The largest E(S - k)_+ over sums of terms of two laws, by summing over all counts of the atoms: for a
// couple of dozen terms.
//
// See worst_mixture.h for what `Mixing` means. O(terms^5) positive terms for two nonzero atoms a law,
// relative round-off below 1e-12. Pure functions; call from any thread.
#pragma once

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"
#include "muster/numerics/sums/worst_mixture.h"

namespace muster::numerics {

// At most 24 terms and two nonzero atoms a law.
bool enumerable_mixture(const AtomicLaw& first, const AtomicLaw& second, double terms);

// Requires enumerable_mixture.
Enclosure enumerated_mixture(const AtomicLaw& first, const AtomicLaw& second, double terms, double k,
                             Mixing mixing);

}  // namespace muster::numerics
