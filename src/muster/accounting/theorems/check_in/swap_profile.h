// The swap theorem for shuffled check-in in its profile-only form (Theorem 2,
// docs/theory/profile-only.md).
//
// n honest clients report independently with probability g < 1 through a shuffler; the randomizer
// R has local profile f. For every pair of records of the victim, every dataset of the others
// and E = e^eps >= 1,
//     delta(eps) <= (1/n) E( sum_{i=1..n} X_i )_+  +  g^n A(E),        X_i = 1 - E w.p. 1-g, else X*.
// A(E) is what a shuffle of all n costs: f(E), or the blanket of an epsilon0-LDP randomizer if that is
// smaller. X* is the law with stop-loss transform f(E+c) for c >= 0 and (1+|c|) f(E/(1+|c|)) for c < 0
// (reporting_law.h). Proven for replace-one neighbours in any dimension; the code is the same for every
// randomizer. swap_profile_test.cc checks the bound by exhaustive enumeration. Pure functions.
#pragma once

#include "muster/accounting/theorems/swap/reporting_sum.h"
#include "muster/describe/participation.h"
#include "muster/describe/profile.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// delta at epsilon >= 0 for one round. `upper` is proven; `lower` encloses the same bound (not the true
// delta) from below, so upper - lower is numerical error alone. Throws Error(uncovered) at rate 1, where
// nobody is left to swap with. The protocol's `min_rate` is ignored: unequal_rates.h has unequal rates.
numerics::Enclosure swap_delta(const Profile& profile, const ShuffledCheckIn& protocol, double epsilon);

// The same for a sum made from a mechanism.
numerics::Enclosure swap_delta(const ReportingSum& sum, const ShuffledCheckIn& protocol, double epsilon);

}  // namespace muster::accounting
