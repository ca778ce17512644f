// Convex curves as upper envelopes of lines below them, and the pairs of laws that have these curves
// as their divergence.
//
// A line p - E q, as a function of E = e^epsilon, stands for an event of P-mass p and Q-mass q. The
// functions are pure.
#pragma once

#include <vector>

#include "tests/reference/pair.h"
#include "tests/reference/swap_sum.h"

namespace muster::reference {

// Takes lines below one convex curve, in the order of the points where they touch it. Returns from left to
// right the lines that are the largest somewhere. A line whose validity (Line::valid) ends before a later
// line becomes larger is lowered.
std::vector<Line> envelope(const std::vector<Line>& touching);

// Returns the lines of a convex curve that lies below the smallest of several curves.
std::vector<Line> least(const std::vector<std::vector<Line>>& envelopes);

// Returns a pair whose divergence is at most the envelope for E > 1. The pair is symmetric under exchange of
// its two laws, which determines its divergence for E < 1.
Pair pair_of(const std::vector<Line>& lines);

}  // namespace muster::reference
