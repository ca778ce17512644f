// Bounds for clients whose participation rates differ (Theorems 6 and 7, docs/theory/unequal-rates.md).
//
// n honest clients report independently through a shuffler, each with its own unknown rate in [lo, hi],
// hi < 1. With theta = lo / hi, E = e^eps >= 1 and independent terms
//     Z = 0 w.p. 1 - theta,   1 - E w.p. theta (1 - hi),   X* w.p. theta hi,
//     delta(eps) <= (1 / (n theta)) E( Z_1 + ... + Z_n )_+
//                   + hi (1 - theta (1 - hi))^{n-1} A(E) + hi f(inf).
// X* is the law of swap_profile.h, f is the local profile, and A(E) is what a shuffle of all hidden
// clients costs: f(E), or their blanket (ReportingSum::everybody). The right side is the average
// E_N B(N+1), N ~ Bin(n-1, theta), of the swap bound B(n') for n' clients of rate hi, in closed form: one
// sum, whatever n. At lo = hi it is the swap bound itself. UnequalRatesMixture averages a bound B that
// is known only as a function, block by block. Proven for replace-one neighbours. Theorem 6, for known
// rates, is enumerated in tests/oracle/unequal_formula.h. Immutable values; call from any thread.
#pragma once

#include <functional>
#include <vector>

#include "muster/accounting/theorems/swap/reporting_sum.h"
#include "muster/numerics/binomial_blocks.h"

namespace muster::accounting {

class UnequalRatesCurve {
 public:
  // Throws Error(uncovered) unless 0 < lo <= hi < 1.
  UnequalRatesCurve(ReportingSum sum, double n, double lo, double hi);
  numerics::Enclosure delta(double epsilon) const;

 private:
  ReportingSum sum_;
  SumShape shape_;
  double everybody_;  // hi (1 - theta (1 - hi))^{n-1}
  double reporting_;  // probability that another client is not revealed, given that she is not absent
};

// E_N B(N+1, eps), N ~ Bin(n-1, lo/hi), for any family of bounds B(n', eps) of n' clients who
// all have rate hi. B must be valid at every n' it is called with. It need not decrease with n':
// the smallest value so far is used. A block of N is charged at its smallest N. One point takes
// `evaluations` calls of B.
class UnequalRatesMixture {
 public:
  using Family = std::function<numerics::Enclosure(double clients, double epsilon)>;
  UnequalRatesMixture(double n, double lo, double hi, Family family, double fineness = 0.25);
  numerics::Enclosure delta(double epsilon) const;
  // Merges the blocks into about 25 at most, for a B that is expensive. It costs some 1e-4
  // to 1e-3 of epsilon.
  void merge();
  std::size_t evaluations() const { return blocks_.size(); }

 private:
  std::vector<numerics::BinomialBlock> blocks_;  // in increasing order of N
  double improbable_ = 0;                        // weight of the blocks left out, charged at 1
  Family family_;
};

// A lower bound for rates in [lo, hi]: the exact curve of binary randomized response where the victim has
// rate hi, and the others, who all hold her alternative record, have rate lo. hi <= 1, lo < 1.
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
