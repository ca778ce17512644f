// The swap theorem's profile-only sum from below: one round of a check-in, a subset or a slot run.
//
// All its variants are one expression (docs/theory/profile-only.md, subset.md, slots.md, and for pure
// randomizers blanket.md): with N independent terms, each w (X* - (1 - E)) if it is present and else 0,
//
//     V(E) = (1/A) E( sum of the terms - A (E - 1) )_+ .
//
// For an epsilon0-LDP randomizer X* is u - E v for three values of (u, v) that do not depend on E, so V is
// the divergence of an explicit pair of laws, and that pair is returned. For normal noise X* changes with E;
// the law is cut into cells, each at its mean (Jensen: V falls), and added up by squaring, sums in cells at
// their means again. Of the event that the sum is positive the P- and the Q-mass are known then: a line that
// V does not pass below. Nothing of this is in src. Pure functions.
#pragma once

#include "tests/reference/experiment.h"
#include "tests/reference/pair.h"
#include "tests/reference/real.h"

namespace muster::reference {

struct SwapSum {
  Randomizer randomizer;
  double terms = 1;                // N
  Real present{1.0}, absent{0.0};  // of each term
  Real threshold{1.0};             // A >= N
  double rivals = 0;               // w = 1/(1 + c), c Poisson of this mean; 0: w = 1
};

// V(e^x) >= p - e^x q for 0 <= x <= valid.
struct Line {
  long double p, q;
  double valid;
};

// The line that touches V near e^epsilon, epsilon > 0. `cut` >= epsilon: up to where it is to be valid; the
// nearer, the closer it is to V. `drop`: a divergence that need not be followed.
Line supporting_line(const SwapSum& sum, double epsilon, double cut, long double drop);

// p - e^epsilon q, at most V.
long double swap_value(const SwapSum& sum, double epsilon, long double drop);

// The pair whose divergence V is, for an epsilon0-LDP randomizer and w = 1; empty for others. `tail`: a
// probability that need not be followed.
Pair swap_pair(const SwapSum& sum, double tail);

}  // namespace muster::reference
