// The law of one client's term in every swap-type bound, centred so that absence costs nothing, and in
// units of E, so that no loss is too large for it.
//
// The theorems on subsets, check-ins and slots bound delta by factor * E(sum of N independent terms)_+
// where a term is 1 - E for an absent client and a copy of X* for a reporting one
// (docs/theory/profile-only.md, X* the least law above every (a - E b)/u in convex order, E = e^epsilon).
// With Y = (X - (1 - E)) / E the absent client sits at zero, where an AtomicLaw keeps its mass for free, and
//     E(sum_{i<=N} X_i + M (1 - E))_+  =  E * E(sum_{i<=N} Y_i - (N + M)(1 - 1/E))_+ .
// Pure functions; call from any thread.
#pragma once

#include "muster/accounting/describe/profile.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::accounting {

// Y with probability `rate`, else 0. For a piecewise linear profile with kinks at ln alpha = l_i of masses
// p_i and q_i: e^{l_i - epsilon} - e^{-epsilon} with mass q_i where l_i > epsilon; 1 - e^{-l_i} with mass
// p_i where l_i < epsilon; 1 - e^{-epsilon} with the rest. Points and masses are rounded up. Mass of the
// profile at infinity is left out: charge it once, times the chance that the client reports. rate in (0,
// 1], epsilon >= 0.
numerics::AtomicLaw reporting_law(const Profile& profile, double rate, double epsilon);

// Where X* = 0 lies in these units, 1 - e^{-epsilon}, rounded up: the last atom of reporting_law.
double neutral_point(double epsilon);

// A factor >= 1 that covers the relative 4e-16 by which each weight may differ from its exact value, over the
// `expected` clients who report (and ten deviations more).
double weight_error(double expected);

}  // namespace muster::accounting
