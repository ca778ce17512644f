// Two laws of one experiment on explicit data sets, as the masses of finitely many outcomes.
//
// P is the law with the victim's record, Q the law with her alternative. Every outcome's P-mass is rounded
// down and its Q-mass up, and outcomes may be missing. The sum of (P - E Q)_+, E = e^epsilon, is therefore at
// most the true divergence. Outcomes that an adversary can tell apart may be merged, because merging them is
// post-processing. These are plain values.
#pragma once

#include <vector>

#include "tests/reference/real.h"

namespace muster::reference {

struct Outcome {
  long double p;  // at most the outcome's probability under P
  long double q;  // at least the outcome's probability under Q
};

using Pair = std::vector<Outcome>;

// Returns a lower bound of the hockey-stick divergence of `rounds` copies of the pair at
// epsilon, by convolution. Losses are sorted into the cells of a lattice, and the masses of a
// cell are added up, as if the adversary saw only the cell. Rounds are composed by repeated
// squaring. All sums and products are of positive numbers, so their relative rounding error
// is known. `tail` is a probability that may be left out, in all rounds together.
long double composed_delta(const Pair& pair, double rounds, double epsilon, double tail);

// A stage: `rounds` rounds with the same pair.
struct Repeated {
  const Pair* pair;
  double rounds;
};
// Returns the lower bound for all stages together.
long double composed_delta(const std::vector<Repeated>& stages, double epsilon, double tail);

// Returns the bound for one round: sum (P - E Q)_+.
long double delta_of(const Pair& pair, double epsilon);

}  // namespace muster::reference
