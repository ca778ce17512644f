// The floor: a lower bound on the privacy loss of a protocol, computed independently of every other bound.
// Each proven number is checked against it (gate.h).
//
// The floor comes from one distinguishing test on one pair of data sets, in closed form (Theorem 24,
// docs/theory/floor.md). The victim holds the record x or the alternative x'; all other clients hold x'.
// The adversary looks at one bit of each message, which is a one with probability a for the record x and
// b < a for x'. So the number of ones among N messages has the law Bin(N, b) if the victim holds x'. If she
// holds x, one of the bits is a one with probability a instead. Let P be the probabilities if she holds x,
// and P' those if she holds x'. For every t,
//     delta(eps) >= P(ones >= t) - E P'(ones >= t)
//                 = (a - b) P(Bin(N-1, b) = t - 1) - (E - 1) P(Bin(N, b) >= t),          E = e^eps
// because the victim's bit matters only if exactly t - 1 of the other N - 1 bits are ones. If clients report
// with probability g, then g a and g b take the places of a and b. If the victim is asked in one of the slots
// with probability w, then w a + (1 - w) b takes the place of a. Where only sums of Gaussian or Laplace
// messages are seen, the sum itself is tested, given the number of reports. Any test is valid, so the best of
// a few is taken. The floor shares no code with the accountant's bounds, tables and transforms. It uses only
// exp, erfc, lgamma, and Boost's binomial law and incomplete beta function, with margins for their errors.
// The floor is often tens of per cent below the true value. Pure functions; call from any thread.
//
// Reference: Boost.Math, binomial_distribution and ibeta.
#pragma once

#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"
#include "muster/describe/question.h"
#include "muster/describe/view.h"

namespace muster::accounting {

// A lower bound of the one-round hockey-stick divergence at epsilon >= 0 of some pair of neighbouring data
// sets, for an adversary with this view; at least 0, never NaN. The floor of one view also holds for every
// view that shows more.
double floor_delta(const Mechanism& mechanism, const Participation& participation, View view, double epsilon);

// The largest epsilon at which floor_delta() is at least `delta`, rounded down by a relative 1e-3 at most, or
// 0 if there is no such epsilon.
double floor_epsilon(const Mechanism& mechanism, const Participation& participation, View view, double delta);

}  // namespace muster::accounting
