// Class C: shuffled check-in and fixed subsets of randomizers whose densities lie between 2q and 2p times
// one law U (Theorem 4, docs/theory/class-c.md).
//
// A randomizer is in class C(epsilon0) if a law U exists with 2q <= dR(x)/dU <= 2p for every record
// x, where p = e^eps0/(e^eps0 + 1) and q = 1 - p. Members are binary randomized response, LDP-SGD with
// any clipping or mixing toward U, and the coordinate samplers. With E = e^eps >= 1 and m = n - 1 other
// clients, every ordered pair of records of the victim and every dataset of the others satisfy
//     delta(eps) <= max over 0 <= i <= m of F_i(eps)  +  rate^n A(E).
// A(E) is what a shuffle of all n clients costs. F_i is the sum of the swap theorem in which i others
// have a term (a - E b)/u that is e^eps0 - E with probability q and e^-eps0 - E with probability p, and
// the other m - i have a term that is 1 - E e^eps0 with probability q and 1 - E e^-eps0 with probability
// p. Randomized response attains F_0 and F_m up to the rate^n term, so the bound is exact where the
// maximum is at one of these ends. The maximum is certified over all i (numerics/sums/worst_mixture.h);
// where the certificate's allowance is large, the bound of the profile-only law X* caps it. The bound is
// proven for replace-one neighbours, in any dimension. It does not hold for adaptive rounds inside a slot
// protocol, where types may depend on the past. Immutable; call from any thread.
#pragma once

#include <memory>

#include "muster/accounting/theorems/swap/unequal_rates.h"
#include "muster/describe/profile.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

class ClassCCurve {
 public:
  // Shuffled check-in of n honest clients at `rate` in (0, 1); at rate 1 the bound is that
  // of class_c_pool.h.
  static ClassCCurve check_in(double epsilon0, double n, double rate);
  // A uniform secret subset of k of n honest clients, 1 <= k < n.
  static ClassCCurve subset(double epsilon0, double n, double k);
  // Check-in of n honest clients whose rates lie in [lo, hi], 0 < lo <= hi < 1, n >= 2. With
  // theta = lo/hi, the right side of Theorem 7 for i others of type 0 is F_i with a third
  // kind of term, which is 0 with probability 1 - theta, and with 1/(n theta) in place of 1/n
  // (docs/theory/unequal-rates.md). The maximum over i is certified in the same way.
  static ClassCCurve unequal(double epsilon0, double n, double lo, double hi);

  // `upper` is proven. `estimate` is at most the largest F_i plus the all-report event, so the gap to upper
  // contains the numerical error and the allowance of the certificate over i. It is no lower bound on the
  // divergence of a dataset.
  numerics::UpperAndEstimate delta(double epsilon) const;

 private:
  ClassCCurve(double epsilon0, double n, double terms, double rate, double theta = 1);
  double everybody(double epsilon, double local, double sum) const;
  double profile_only(double epsilon) const;  // upper bound, with X* in place of both types

  double epsilon0_, n_, terms_;
  double rate_;   // the largest rate of a client
  double theta_;  // probability that another client stays hidden; 1 where all rates are equal
  Profile profile_;
  // For unequal rates, a second upper bound: the average over the number of hidden clients of their
  // pool's bound, or of their check-in bound where n is at most 24 or above 1e9.
  std::shared_ptr<const UnequalRatesMixture> over_counts_;
};

}  // namespace muster::accounting
