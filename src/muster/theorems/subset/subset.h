// Bounds a secret subset of fixed size by the swap theorem in its profile-only form (Theorem 3,
// docs/theory/subset.md).
//
// k of n honest clients, k < n, are drawn uniformly and secretly and report through a shuffler; the
// randomizer has local profile f. For every ordered pair of records of the victim, every data set of the
// others and E = e^eps >= 1,
//     delta(eps) <= (1/n) * mean of ( X*_1 + ... + X*_k + (n-k)(1-E) )_+  +  (k/n) f(infinity),
// where the X*_i are independent and have the law X* of docs/theory/profile-only.md. The bound is proven for
// replace-one neighbours in any dimension. The case k = n is refused, because it is a plain shuffle, in which
// nobody is left to swap with. subset_test.cc checks the bound by enumeration. Objects are immutable and may
// be used from any thread.
#pragma once

#include "muster/theorems/swap/reporting_sum.h"

namespace muster::accounting {

// Returns the right-hand side of the inequality above. Throws Error(uncovered) unless 1 <= k < n. Requires
// n <= 1e12.
SumCurve subset_curve(ReportingSum sum, double n, double k);

}  // namespace muster::accounting
