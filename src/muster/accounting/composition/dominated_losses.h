// The losses of a lower pair: from enclosures of one true pair's curve at some nodes, a law whose
// composition stays below that pair's.
//
// Between nodes the curve is only known to be convex;
// docs/theory/composition.md, "Lower bounds". Pure function.
#pragma once

#include "muster/accounting/composition/convex_profile.h"
#include "muster/accounting/composition/round_curve.h"

namespace muster::accounting {

// On a lattice `refined` times as fine as the curve's, refined >= 2. No losses at all where nothing is known.
LossLaw dominated_losses(const RoundCurve& curve, int refined);

}  // namespace muster::accounting
