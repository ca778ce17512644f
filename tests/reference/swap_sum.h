// Lower bounds of the swap theorem's profile-only sum, for one round of a check-in, a subset
// or a slot run.
//
// All its variants are one expression (docs/theory/profile-only.md, subset.md, slots.md, and for pure
// randomizers blanket.md). With E = e^epsilon and N independent terms, each of them w (X* - (1 - E)) if it is
// present and otherwise 0, and with a number A >= N (the clients, or the slots divided by the rate),
//
//     V(E) = 1/A times the mean of ( sum of the terms - A (E - 1) )_+ .
//
// For an epsilon0-LDP randomizer X* is u - E v for three values of (u, v) that do not depend on E. Then V is
// the divergence of an explicit pair of laws, and that pair is returned. For normal noise, (u, v) depends on
// E. The law of X* is cut into cells, each replaced by its mean, which lowers V by Jensen's inequality. The
// laws of sums of terms are computed by repeated squaring, again with cells replaced by their means. The
// P-mass and the Q-mass of the event that the bracket is positive are then known, and give a line that V is
// never below. No code of src is used. The functions are pure.
#pragma once

#include "tests/reference/experiment.h"
#include "tests/reference/pair.h"
#include "tests/reference/real.h"

namespace muster::reference {

struct SwapSum {
  Randomizer randomizer;
  double terms = 1;                // N, the number of terms
  Real present{1.0}, absent{0.0};  // the probabilities of a term being present and absent
  Real threshold{1.0};             // A >= N
  double rivals = 0;               // the mean of a Poisson number c of others, w = 1/(1 + c); 0: w = 1
};

// V(e^x) >= p - e^x q for 0 <= x <= valid.
struct Line {
  long double p, q;
  double valid;
};

// Returns a line that nearly touches V at e^epsilon, epsilon > 0. `cut` >= epsilon is the epsilon up to
// which the line must be valid; the smaller it is, the closer the line is to V. `drop` is a part of the
// divergence that may be left out.
Line supporting_line(const SwapSum& sum, double epsilon, double cut, long double drop);

// Returns the value p - e^epsilon q of such a line, a lower bound of V(e^epsilon).
long double swap_value(const SwapSum& sum, double epsilon, long double drop);

// Returns the pair that has V as its divergence, for an epsilon0-LDP randomizer and w = 1. It is empty in
// other cases. `tail` is a probability that may be left out.
Pair swap_pair(const SwapSum& sum, double tail);

}  // namespace muster::reference
