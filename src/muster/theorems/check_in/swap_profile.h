// Bounds a shuffled check-in by the swap theorem in its profile-only form (Theorem 2,
// docs/theory/profile-only.md).
//
// Each of n honest clients reports independently with probability g < 1 through a shuffler; the randomizer
// has the local profile f. For every ordered pair of records of the victim, every data set of the others and
// E = e^eps >= 1,
//     delta(eps) <= (1/n) * mean of ( X_1 + ... + X_n )_+  +  g^n A(E)  +  g f(infinity),
// where the X_i are independent, and each is 1 - E with probability 1 - g and has the law X* otherwise. A(E)
// bounds the delta of a shuffle of all n clients: f(E), or the blanket of an epsilon0-LDP randomizer if that
// is smaller. X* is the law with stop-loss transform f(E+c) for c >= 0 and (1+|c|) f(E/(1+|c|)) for c < 0
// (reporting_law.h). The bound is proven for replace-one neighbours in any dimension; the code is the same
// for every randomizer. swap_profile_test.cc checks the bound by exhaustive enumeration. The functions are
// pure.
#pragma once

#include "muster/describe/participation.h"
#include "muster/describe/profile.h"
#include "muster/numerics/enclosure.h"
#include "muster/theorems/swap/reporting_sum.h"

namespace muster::accounting {

// Returns the bound at epsilon >= 0 for one round. `upper` is proven. upper - estimate is numerical error and
// the charge for infinite losses; `estimate` is 0 where `upper` is Chernoff's bound. The privacy blanket
// cannot be computed from a profile, so A(E) is f(E). Throws Error(uncovered) at rate 1, where nobody is left
// to swap with. The protocol's `min_rate` is ignored; for unequal rates see unequal_rates.h.
numerics::UpperAndEstimate swap_delta(const Profile& profile, const ShuffledCheckIn& protocol,
                                      double epsilon);

// Returns the bound for a given ReportingSum. If the sum was made from an epsilon0-LDP mechanism, A(E) uses
// the blanket.
numerics::UpperAndEstimate swap_delta(const ReportingSum& sum, const ShuffledCheckIn& protocol,
                                      double epsilon);

}  // namespace muster::accounting
