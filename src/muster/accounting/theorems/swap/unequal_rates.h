// Clients whose participation rates differ (docs/theory/unequal-rates.md, Theorems 6 and 7).
//
// Statement. n honest clients report independently through a shuffler, each with its own unknown rate in
// [lo, hi], hi < 1. With theta = lo / hi, E = e^eps >= 1 and independent terms
//     Z = 0 w.p. 1 - theta,   1 - E w.p. theta (1 - hi),   X* w.p. theta hi,
//     delta(eps) <= (1 / (n theta)) E( Z_1 + ... + Z_n )_+
//                   + hi (1 - theta (1 - hi))^{n-1} A(E) + hi f(inf),
// A(E) what a shuffle of all who are left costs: f(E), or their blanket (ReportingSum::everybody).
// It is the average E_N B(N+1), N ~ Bin(n-1, theta), of the swap bound B(n') for n' clients of rate hi,
// summed in closed form: one sum, whatever n. At lo = hi it is the swap bound itself. For a bound B known
// only as a function, UnequalRatesMixture averages it block by block. Replace-one, proven; known rates one by
// one are enumerated in tests/oracle/unequal_formula.h. Immutable values; call from any thread.
#pragma once

#include <functional>
#include <vector>

#include "muster/accounting/theorems/shared/binomial_blocks.h"
#include "muster/accounting/theorems/swap/reporting_sum.h"

namespace muster::accounting {

class UnequalRatesCurve {
 public:
  // 0 < lo <= hi < 1, else Error(uncovered).
  UnequalRatesCurve(ReportingSum sum, double n, double lo, double hi);
  numerics::Enclosure delta(double epsilon) const;

 private:
  ReportingSum sum_;
  SumShape shape_;
  double everybody_;  // hi (1 - theta (1 - hi))^{n-1}
  double reporting_;  // an other client's chance of not being revealed, if she is not absent
};

// E_N B(N+1, eps), N ~ Bin(n-1, lo/hi), for any family of bounds B(n', eps) of n' clients who all have rate
// hi. B must be valid at every n' it is asked for; it need not decrease, the smallest value met so far is
// used. A block of N is charged at its smallest N. About `evaluations` calls of B a point.
class UnequalRatesMixture {
 public:
  using Family = std::function<numerics::Enclosure(double clients, double epsilon)>;
  UnequalRatesMixture(double n, double lo, double hi, Family family, double fineness = 0.25);
  numerics::Enclosure delta(double epsilon) const;
  // At most 25 blocks, about: for a B that costs much. The loss is some 1e-4 to 1e-3 of epsilon.
  void merge();
  std::size_t evaluations() const { return blocks_.size(); }

 private:
  std::vector<BinomialBlock> blocks_;  // increasing
  double improbable_ = 0;              // weight of the blocks left out, charged at 1
  Family family_;
};

// A lower bound for rates in [lo, hi]: binary randomized response, the victim at hi and the others, who all
// hold her alternative record, at lo. Exact curve of that pair. hi <= 1, lo < 1.
class UnequalRatesPair {
 public:
  UnequalRatesPair(double epsilon0, double n, double lo, double hi);
  numerics::Enclosure forward(double epsilon) const;
  numerics::Enclosure reverse(double epsilon) const;

 private:
  numerics::Enclosure curve(long double rare, long double common, double epsilon) const;
  double epsilon0_, n_, lo_, hi_;
};

}  // namespace muster::accounting
