// Bounds the divergence of shuffled check-ins and secret subsets for class C, the randomizers whose densities
// lie between 2q and 2p times one law U (Theorem 4, docs/theory/class-c.md).
//
// A randomizer is in class C(epsilon0) if a law U exists with 2q <= dR(x)/dU <= 2p for every record x, where
// p = e^eps0/(e^eps0 + 1) and q = 1 - p. Members are binary randomized response, LDP-SGD with any clipping or
// mixing toward U, and the coordinate samplers. Each of n honest clients reports with probability `rate`. The
// victim's message has law a or b, depending on her record, and another client's message has law u. With
// E = e^eps >= 1 and m = n - 1 other clients, every ordered pair of records of the victim and every data set
// of the others satisfy, for a check-in,
//     delta(eps) <= max over 0 <= i <= m of F_i(eps)  +  rate^n A(E).
// A(E) bounds the delta of a shuffle of all n clients. F_i is the sum of the swap theorem
// (docs/theory/swap-theorem.md) with i others of type 0 and m - i of type 1. The term (a - E b)/u of a client
// of type 0 is e^eps0 - E with probability q and e^-eps0 - E with probability p; that of a client of type 1
// is 1 - E e^eps0 with probability q and 1 - E e^-eps0 with probability p. For a secret subset of k clients,
// the maximum is over the number of clients of type 0 among the k that report, and no term A(E) is added.
//
// Randomized response attains F_0 and F_m, so where the maximum is at one of these ends, the bound is exact
// up to the term rate^n A(E). The computed maximum is certified to cover all i
// (numerics/sums/worst_mixture.h). Where it may be much too large, the bound by the profile-only law X*
// (docs/theory/profile-only.md) is computed too, and the smaller of the two is used. The bound is proven for
// replace-one neighbours and an honest shuffler, in any dimension. It does not hold for adaptive rounds
// inside a slot protocol, where a client's type may depend on the past. Objects are immutable and may be used
// from any thread.
#pragma once

#include <memory>

#include "muster/describe/profile.h"
#include "muster/numerics/enclosure.h"
#include "muster/theorems/swap/unequal_rates.h"

namespace muster::accounting {

class ClassCCurve {
 public:
  // Bounds a shuffled check-in of n honest clients at `rate` in (0, 1); at rate 1 the bound is that of
  // class_c_pool.h.
  static ClassCCurve check_in(double epsilon0, double n, double rate);
  // Bounds a uniform secret subset of k of n honest clients, 1 <= k < n.
  static ClassCCurve subset(double epsilon0, double n, double k);
  // Bounds a check-in of n honest clients whose rates lie in [lo, hi], 0 < lo <= hi < 1, n >= 2. In the
  // proof of (3) in docs/theory/unequal-rates.md, the coin of each other client is revealed to the adversary
  // with probability 1 - lo/hi. The term of a revealed client is 0, which is a third kind of term in F_i.
  static ClassCCurve unequal(double epsilon0, double n, double lo, double hi);

  // Returns the bound at epsilon >= 0. `upper` is proven. `estimate` is at most the largest F_i plus
  // the charge for the event that all report, so upper - estimate covers the numerical error and the
  // excess of the certified maximum. `estimate` is no lower bound on the divergence of a data set.
  numerics::UpperAndEstimate delta(double epsilon) const;

 private:
  ClassCCurve(double epsilon0, double n, double terms, double rate, double lo);
  double everybody(double epsilon, double local, double sum) const;
  double profile_only(double epsilon) const;  // the upper bound with X* instead of both types

  double epsilon0_, n_, terms_;  // terms_ is n in a check-in and k in a subset
  double rate_;                  // the largest rate of a client
  double lo_;                    // the smallest rate of a client
  double theta_;     // probability that another client's coin is not revealed; 1 where all rates are equal
  double revealed_;  // 1 - theta_, computed without cancellation
  Profile profile_;
  // A second upper bound for unequal rates; null otherwise. It averages a bound for equal rates over the
  // number of clients whose coins are not revealed: that of class_c_pool.h, or that of check_in() where n is
  // at most 24 or above 1e9.
  std::shared_ptr<const UnequalRatesMixture> over_counts_;
};

}  // namespace muster::accounting
