// Others who all hold the victim's alternative: the likelihood ratio is 1 + scale * (sum of n terms Y).
//
// Y = ratio - 1 at a message under the alternative, 0 for whoever is absent: independent terms, so their sum
// is convolved, by squaring. Values are sorted into cells of a lattice; a cell keeps its mass and its mean,
// which is what an adversary sees who looks at cells alone: a lower bound of the divergence, with no
// remainder. Pure functions.
#pragma once

#include "tests/reference/pair.h"

namespace muster::reference {

struct MeanLaw {
  double terms;          // n
  long double presence;  // of each; 1: all of them
  long double absence;   // 1 - presence
  long double scale;
};

// P: with the victim's record; Q: with the alternative; `swapped`: the other way round.
// Masses rounded as Pair says. Empty where the rounding of so many terms would be too large.
// `tail`: a probability that may be given up.
Pair pair_of(const Pair& message, const MeanLaw& law, double tail, bool swapped);

}  // namespace muster::reference
