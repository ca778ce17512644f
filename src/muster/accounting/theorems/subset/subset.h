// The swap theorem for a fixed-size secret subset (docs/theory/subset.md), profile-only.
//
// Statement. k of n honest clients, k < n, drawn uniformly and secretly, report through a shuffler; R has
// local profile f. For every ordered pair of records of the victim, every dataset of the others and
// E = e^eps >= 1,
//     delta(eps) <= (1/n) E( X*_1 + ... + X*_k + (n-k)(1-E) )_+  +  (k/n) f(infinity),
// X* of docs/theory/profile-only.md, independent copies. Replace-one, proven, any dimension. At k = n nobody
// is left to swap with: that is a plain shuffle, and refused here. Checked by enumeration in subset_test.cc.
// Immutable; call from any thread.
#pragma once

#include "muster/accounting/theorems/swap/reporting_sum.h"

namespace muster::accounting {

class SubsetCurve {
 public:
  // 1 <= k < n <= 1e12, else Error(uncovered).
  SubsetCurve(ReportingSum sum, double n, double k);

  // Encloses the expression above: `upper` is proven.
  numerics::Enclosure delta(double epsilon) const { return sum_.delta(shape_, epsilon); }

 private:
  ReportingSum sum_;
  SumShape shape_;
};

}  // namespace muster::accounting
