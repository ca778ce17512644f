// Clients whose participation rates differ (docs/theory/unequal-rates.md, theorem H).
//
// Statement. n honest clients report independently through a shuffler, each with its own unknown rate in
// [lo, hi], hi < 1. With theta = lo / hi, E = e^eps >= 1 and independent terms
//     Z = 0 w.p. 1 - theta,   1 - E w.p. theta (1 - hi),   X* w.p. theta hi,
//     delta(eps) <= (1 / (n theta)) E( Z_1 + ... + Z_n )_+  +  hi (1 - theta (1 - hi))^{n-1} f(E)  +  hi
//     f(inf).
// It is the average E_N B(N+1), N ~ Bin(n-1, theta), of the swap bound B(n') for n' clients of rate hi,
// summed in closed form: one sum, whatever n. At lo = hi it is the swap bound itself. For a bound B known
// only as a function, UnequalRatesMixture averages it block by block. Replace-one, proven; known rates one by
// one are enumerated in oracle/unequal_formula.h. Immutable values; call from any thread.
#pragma once

#include <functional>
#include <vector>

#include "muster/accounting/bounds/binomial_blocks.h"
#include "muster/accounting/bounds/reporting_sum.h"

namespace muster::accounting {

class UnequalRatesCurve {
 public:
  // 0 < lo <= hi < 1, else Error(uncovered).
  UnequalRatesCurve(ReportingSum sum, double n, double lo, double hi);
  numerics::Enclosure delta(double epsilon) const;

 private:
  ReportingSum sum_;
  SumShape shape_;
  double revealed_;   // 1 - theta
  double everybody_;  // hi (1 - theta (1 - hi))^{n-1}
};

// E_N B(N+1, eps), N ~ Bin(n-1, lo/hi), for any family of bounds B(n', eps) of n' clients who all have rate
// hi. B must be valid at every n' it is asked for; it need not decrease, the smallest value met so far is
// used. A block of N is charged at its smallest N. About `evaluations` calls of B a point.
class UnequalRatesMixture {
 public:
  using Family = std::function<numerics::Enclosure(double clients, double epsilon)>;
  UnequalRatesMixture(double n, double lo, double hi, Family family, double fineness = 0.25);
  numerics::Enclosure delta(double epsilon) const;
  std::size_t evaluations() const { return blocks_.size(); }

 private:
  std::vector<BinomialBlock> blocks_;  // increasing
  Family family_;
};

}  // namespace muster::accounting
