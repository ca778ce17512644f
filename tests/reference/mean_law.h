// The exact likelihood ratio where all others hold the victim's alternative: 1 + scale * (sum of
// n terms Y).
//
// Y is the ratio - 1 of a message drawn under the alternative, and 0 for a client who is absent. The terms
// are independent, so the law of their sum comes from convolution by repeated squaring. Values are sorted
// into the cells of a lattice; a cell keeps its mass and its mean. That is what an adversary knows who
// sees only the cell, so it gives a lower bound of the divergence, with no remainder. Pure functions.
#pragma once

#include "tests/reference/pair.h"

namespace muster::reference {

struct MeanLaw {
  double terms;          // n
  long double presence;  // probability that a term is present
  long double absence;   // 1 - presence
  long double scale;
};

// P is the law with the victim's record and Q the law with the alternative; `swapped` exchanges them.
// Masses are rounded as Pair requires. Empty if there are so many terms that the rounding error would be
// too large. `tail`: a probability that may be left out.
Pair pair_of(const Pair& message, const MeanLaw& law, double tail, bool swapped);

}  // namespace muster::reference
