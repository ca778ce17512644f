// Bounds the divergence for clients whose participation rates differ (Theorems 6 and 7,
// docs/theory/unequal-rates.md).
//
// n honest clients report independently through a shuffler, each with its own unknown rate in [lo, hi],
// hi < 1. Let theta = lo / hi and E = e^eps >= 1. The proof reveals the coin of each client except the victim
// with probability 1 - theta. Clients whose coins are not revealed are called hidden, and a hidden client
// reports with probability hi. If Z_1, ..., Z_n are independent copies of
//     Z = 0      with probability 1 - theta       (the coin is revealed),
//         1 - E  with probability theta (1 - hi)  (the client is absent),
//         X*     with probability theta hi        (the client reports),
// then
//     delta(eps) <= (1 / (n theta)) * mean of ( Z_1 + ... + Z_n )_+
//                   + hi (1 - theta (1 - hi))^{n-1} A(E) + hi f(inf).
// X* is the law of swap_profile.h, f is the local profile, and A(E) bounds the delta of a shuffle of the
// victim and all hidden clients: f(E), or their blanket (ReportingSum::everybody). The right-hand side is
// the average of B(N+1) over N ~ Bin(n-1, theta), where B(n') is the swap bound for n' clients of rate hi.
// In closed form this is one sum for any n, and for lo = hi it is the swap bound itself. UnequalRatesMixture
// averages a bound B that is known only as a function, block by block. The bounds are proven for replace-one
// neighbours. Theorem 6, for known rates, is enumerated in tests/oracle/unequal_formula.h. Apart from
// UnequalRatesMixture::merge(), objects are immutable and may be used from any thread.
#pragma once

#include <functional>
#include <vector>

#include "muster/numerics/binomial_blocks.h"
#include "muster/theorems/swap/reporting_sum.h"

namespace muster::accounting {

class UnequalRatesCurve {
 public:
  // Throws Error(uncovered) unless 0 < lo <= hi < 1.
  UnequalRatesCurve(ReportingSum sum, double n, double lo, double hi);
  numerics::UpperAndEstimate delta(double epsilon) const;

 private:
  ReportingSum sum_;
  SumShape shape_;
  double everybody_;  // P(the victim reports and nobody is absent) = hi (1 - theta (1 - hi))^{n-1}
  double reporting_;  // probability that another client is hidden, given that she is not absent
};

// Computes the mean of B(N+1, eps), N ~ Bin(n-1, lo/hi), for any family of bounds B(n', eps) for n' clients
// that all have rate hi. B must be valid at every n' it is called with. It need not decrease with n', because
// the smallest of its values at up to n' clients is used. N is cut into blocks, each charged at its smallest
// N; `fineness` is their width in deviations of N (binomial_blocks.h). One value of delta() takes
// evaluations() calls of B.
class UnequalRatesMixture {
 public:
  using Family = std::function<numerics::UpperAndEstimate(double clients, double epsilon)>;
  UnequalRatesMixture(double n, double lo, double hi, Family family, double fineness = 0.25);
  numerics::UpperAndEstimate delta(double epsilon) const;
  // Merges the blocks into at most 25, for use if B is expensive. This makes epsilon larger by a fraction of
  // 1e-4 to 1e-3.
  void merge();
  std::size_t evaluations() const { return blocks_.size(); }

 private:
  std::vector<numerics::BinomialBlock> blocks_;  // in increasing order of N
  // Total weight of the blocks left out, which are charged at delta = 1.
  double improbable_ = 0;
  Family family_;
};

// Gives a lower bound for n clients with rates in [lo, hi], where 0 < lo <= hi <= 1 and lo < 1. It is the
// exact curve of binary randomized response if the victim has rate hi, and the others, who all hold her
// alternative record, have rate lo.
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
