// Builds the law of one client's term in every swap-type bound. It is centred so that an absent client's
// term is 0, and is in units of E = e^epsilon so that no loss is too large for it.
//
// The theorems on subsets, check-ins and slots bound delta by factor * E(sum of N independent terms)_+.
// A term is 1 - E for an absent client and a copy of X* for a reporting one, where X* is the least law
// above every (a - E b)/u in convex order (docs/theory/profile-only.md). With Y = (X - (1 - E)) / E, an
// absent client's term is at zero, where an AtomicLaw keeps its mass implicitly, and
//     E(sum_{i<=N} X_i + M (1 - E))_+  =  E * E(sum_{i<=N} Y_i - (N + M)(1 - 1/E))_+ .
// Pure functions; may be called from any thread.
#pragma once

#include "muster/describe/profile.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::accounting {

// The law of Y with probability `rate`, else 0. For a piecewise linear profile with kinks of masses p_i
// and q_i at ln alpha = l_i, Y is e^{l_i - epsilon} - e^{-epsilon} with mass q_i where l_i > epsilon,
// 1 - e^{-l_i} with mass p_i where l_i < epsilon, and 1 - e^{-epsilon} with the rest. Points and masses
// are rounded up. The profile's mass at infinity is left out: the caller charges it once, times the
// probability that the client reports. rate in (0, 1], epsilon >= 0.
numerics::AtomicLaw reporting_law(const Profile& profile, double rate, double epsilon);

// The point of X* = 0 in these units, 1 - e^{-epsilon}, rounded up. It is the last atom of reporting_law.
double neutral_point(double epsilon);

// ln p of a probability p, of which 1 - p is given as well: the larger digits of the two are used.
double log_probability(double p, double not_p);

// A factor >= 1 that covers the relative error of 4e-16 in each weight, over the `expected` number of
// clients that report and ten deviations more.
double weight_error(double expected);

}  // namespace muster::accounting
