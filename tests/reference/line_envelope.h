// Convex curves as the envelopes of lines below them, and the pairs of laws whose divergence they are.
//
// A line p - E q stands for an event of P-mass p and Q-mass q. Pure functions.
#pragma once

#include <vector>

#include "tests/reference/pair.h"
#include "tests/reference/swap_sum.h"

namespace muster::reference {

// Of lines below one convex curve, ordered by where they touch it, those that are the largest somewhere, from
// left to right; each lowered to where the next ones take over if it is not valid as far as that.
std::vector<Line> envelope(const std::vector<Line>& touching);

// Below the smallest of several curves, and convex.
std::vector<Line> least(const std::vector<std::vector<Line>>& envelopes);

// A pair whose divergence is at most the envelope right of 1, and its mirror image left of 1.
Pair pair_of(const std::vector<Line>& lines);

}  // namespace muster::reference
