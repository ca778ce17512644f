// Class C: randomizers between 2q and 2p times one law U, under check-in and fixed subsets
// (docs/theory/class-c.md).
//
// Class C(epsilon0): a law U exists with 2q <= dR(x)/dU <= 2p for every record x, p = e^eps0/(e^eps0 + 1),
// q = 1 - p. Members: binary randomized response, LDP-SGD with any clipping or mixing toward U, the
// coordinate samplers. Statement: with E = e^eps >= 1 and m = n - 1 others, for every ordered pair of records
// of the victim and every dataset of the others
//     delta(eps) <= max over 0 <= i <= m of F_i(eps)  +  rate^n A(E),
// A(E) what a shuffle of all n costs, F_i the sum of the swap theorem with i others whose term (a - E b)/u is
// e^eps0 - E w.p. q, e^-eps0 - E w.p. p, and m - i others whose term is 1 - E e^eps0 w.p. q, 1 - E e^-eps0
// w.p. p. F_0 and F_m are attained by randomized response (up to rate^n), so where the maximum is at an end
// the bound is the exact truth. The maximum is certified over ALL i (numerics/sums/worst_mixture.h), with the
// profile-only law X* as a cap. Replace-one, proven, any dimension. NOT for adaptive rounds inside a slot
// protocol: there the types may depend on the past. Immutable; call from any thread.
#pragma once

#include <memory>

#include "muster/accounting/describe/profile.h"
#include "muster/accounting/theorems/swap/unequal_rates.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

class ClassCCurve {
 public:
  // Shuffled check-in of n honest clients at `rate` in (0, 1); 1 is answered by class_c_pool.h.
  static ClassCCurve check_in(double epsilon0, double n, double rate);
  // A uniform secret subset of k of n honest clients, 1 <= k < n.
  static ClassCCurve subset(double epsilon0, double n, double k);
  // Check-in of n honest clients whose rates lie in [lo, hi], 0 < lo <= hi < 1, n >= 2: with theta = lo/hi,
  // the right side of Theorem 7 for i others of type 0 is F_i with a third kind of term, 0 w.p. 1 - theta,
  // and 1/(n theta) for 1/n (docs/theory/unequal-rates.md); the maximum over i is certified in the same way.
  static ClassCCurve unequal(double epsilon0, double n, double lo, double hi);

  // `upper` is proven; `lower` is at most the largest F_i plus the all-report event, so
  // upper - lower holds numerical error and what the certificate over i allows. It is no
  // lower bound on a data set's divergence.
  numerics::Enclosure delta(double epsilon) const;

 private:
  ClassCCurve(double epsilon0, double n, double terms, double rate, double theta = 1);
  double everybody(double epsilon, double local, double sum) const;
  double profile_only(double epsilon) const;  // the same with X* for every client, from above

  double epsilon0_, n_, terms_;
  double rate_;   // the largest
  double theta_;  // an other client's chance of staying hidden: 1 where all rates are equal
  Profile profile_;
  // Unequal rates, a second opinion: the average over the number of hidden clients of their pool, or where
  // they are few or very many of their check-in.
  std::shared_ptr<const UnequalRatesMixture> over_counts_;
};

}  // namespace muster::accounting
