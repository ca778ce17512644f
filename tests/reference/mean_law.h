// The law of the exact likelihood ratio if all others hold the victim's alternative. The ratio is
// 1 + scale * (sum of n terms Y).
//
// Y is the likelihood ratio minus 1 of a message drawn under the alternative, and 0 for an absent client. The
// terms are independent, so the law of their sum comes from convolution by repeated squaring. The sums are
// sorted into the cells of a lattice, and each cell keeps its mass and its mean. The mass and the mean give
// the two laws of the cell. Their divergence is a lower bound, because the cell is a function of the sum.
// The functions are pure.
#pragma once

#include "tests/reference/pair.h"

namespace muster::reference {

struct MeanLaw {
  double terms;          // n, the number of terms
  long double presence;  // probability that a term is present
  long double absence;   // 1 - presence
  long double scale;
};

// Returns the laws of the likelihood ratio, in cells: P with the victim's record, and Q with the alternative;
// `swapped` exchanges them. Masses are rounded as Pair requires. The pair is empty if there are so many terms
// that the rounding error would be too large. `tail` is a probability that may be left out.
Pair pair_of(const Pair& message, const MeanLaw& law, double tail, bool swapped);

}  // namespace muster::reference
