// Makes the law of the loss of a dominated pair from enclosures, at some nodes, of one true pair's curve or
// of a convex minorant of it, which is called the curve here. The law's composition bounds the true pair's
// composition from below.
//
// Between nodes the curve is only known to be convex; see docs/theory/composition.md, "Lower bounds". Pure
// function; call from any thread.
#pragma once

#include "muster/composition/convex_profile.h"
#include "muster/composition/round_curve.h"

namespace muster::accounting {

// The losses lie on a lattice `refined` >= 2 times as fine as the curve's, or a finer one (LossLaw::finer).
// If the enclosures are too wide to prove any loss, the law has no losses.
LossLaw dominated_losses(const PairTable& curve, int refined);

}  // namespace muster::accounting
