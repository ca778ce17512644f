// A lower bound on what a protocol costs, by a path of its own: the floor under every proven number.
//
// One distinguishing test on one pair of data sets, in closed form. All other records equal the victim's
// alternative x', and the adversary looks at one bit of each message: whether it says "x". With a = P(bit |
// x) and b = P(bit | x'), the number of ones among N messages is Bin(N, b) without the victim's x, and one
// of them is drawn with a instead of b with it, so for every t
//     delta(eps) >= P(ones >= t) - E P'(ones >= t)
//                 = (a - b) P(Bin(N-1, b) = t - 1) - (E - 1) P(Bin(N, b) >= t),          E = e^eps
// (the difference of the two tails telescopes). A client that reports with probability g has g a and g b in
// place of a and b; one that is asked with probability w in a slot, w a + (1 - w) b. Where only sums of
// Gaussian or Laplace messages are seen, the sum itself is tested, given the number of reports. Any test is
// valid: the best of a few. Nothing of the accountant's bounds, tables or transforms is used: only exp,
// erfc and Boost's binomial law, with room for their errors. Slack of tens of per cent against the truth is
// normal. Pure functions; any thread.
//
// References: docs/theory/floor.md; Boost.Math, binomial_distribution.
#pragma once

#include "muster/accounting/describe/mechanism.h"
#include "muster/accounting/describe/participation.h"
#include "muster/accounting/statement.h"

namespace muster::accounting {

// At most the one-round hockey-stick divergence at epsilon >= 0 of some pair of neighbouring
// data sets, for an adversary with this view; at least 0, never NaN. A view that sees more
// has every floor of one that sees less.
double floor_delta(const Mechanism& mechanism, const Participation& participation, View view, double epsilon);

// The largest epsilon whose floor is at least `delta`, to a relative 1e-3 from below; 0 where there is none.
double floor_epsilon(const Mechanism& mechanism, const Participation& participation, View view, double delta);

}  // namespace muster::accounting
