// Builds the law of one client's term in the bounds by the swap theorem. The term is centred so that it is 0
// for an absent client, and divided by E = e^epsilon so that large losses do not overflow.
//
// The theorems on subsets, check-ins and slots bound delta by a factor times the mean of the positive part of
// a sum of N independent terms. A term X_i is 1 - E for an absent client and a copy of X* for a reporting
// one. X* is the least law, in convex order, above every (a - E b)/u, where a and b are the laws of the
// victim's message for her two records, and u is the law of another client's message
// (docs/theory/profile-only.md). With Y_i = (X_i - (1 - E)) / E, an absent client's term is at zero, where an
// AtomicLaw keeps its mass implicitly. If M more clients are known to be absent,
//     mean of ( sum_{i<=N} X_i + M (1 - E) )_+  =  E * mean of ( sum_{i<=N} Y_i - (N + M)(1 - 1/E) )_+ .
// The functions are pure and may be called from any thread.
#pragma once

#include "muster/describe/profile.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::accounting {

// Returns the law of Y for a client who reports with probability `rate`. Y is 0 if she does not report. If
// she does, and the profile has kinks of masses p_i and q_i at ln alpha = l_i (profile.h), Y has the values
//     e^{l_i - epsilon} - e^{-epsilon}  with mass q_i, where l_i > epsilon,
//     1 - e^{-l_i}                      with mass p_i, where l_i < epsilon,
//     1 - e^{-epsilon}                  with the remaining mass.
// Points and masses are rounded up. The profile's mass at infinity is left out: the caller charges
// it once, times the probability that the client reports. Requires 0 < rate <= 1 and epsilon >= 0.
numerics::AtomicLaw reporting_law(const Profile& profile, double rate, double epsilon);

// Returns the value of Y where X* = 0, which is 1 - e^{-epsilon}, rounded up. If a reporting_law() has an
// atom there, it is the last one.
double neutral_point(double epsilon);

// Returns ln p of a probability p, computed from p or from not_p = 1 - p, whichever is smaller and therefore
// has more digits.
double log_probability(double p, double not_p);

}  // namespace muster::accounting
