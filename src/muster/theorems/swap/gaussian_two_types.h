// Bounds the divergence of Gaussian messages in check-ins and secret subsets nearly exactly, by two
// types of other clients and a certified correction (Theorem 5, docs/theory/gaussian-two-types.md).
//
// Records of any dimension lie in a ball of diameter mu, measured in deviations of the noise; all
// n clients report at one rate g. With the laws of two_types_laws.h, E = e^eps and m = n - 1 other
// clients, every ordered pair of records of the victim and every data set of the others satisfy
//     delta(eps) <= max over 0 <= i <= m of F_i(eps)  +  g cut  +  g^n f(E).
// F_i is the sum of the swap theorem (docs/theory/swap-theorem.md) with i others of type A, who hold her
// record, and m - i of type B, who hold her alternative; `cut` is the charge for ending the two laws at a
// largest point (TwoTypesLaws::Types), and f is the local profile. The computed maximum is certified to cover
// all i (numerics/sums/worst_mixture.h). For a fixed secret subset of k clients the bound is
//     max over 0 <= h <= k of (1/n) * mean of ( (n-k)(1-E) + h terms of A + k-h terms of B )_+  +  (k/n) cut.
// The bound by the profile-only law X* (docs/theory/profile-only.md) replaces the maximum and the cut where
// too few clients are expected to report or to be absent, where eps is very large, and where no finite
// maximum is certified. For large eps, and where the certified maximum may be much too large, both are
// computed and the smaller is used. The bound is proven for replace-one neighbours and an honest shuffler:
// the adversary sees the shuffled messages. It does not hold for adaptive rounds inside a slot protocol, nor
// for unequal rates. Objects are immutable and may be used from any thread.
#pragma once

#include <memory>

#include "muster/numerics/enclosure.h"
#include "muster/theorems/swap/reporting_sum.h"
#include "muster/theorems/swap/two_types_laws.h"

namespace muster::accounting {

// Returns whether this curve can be below that of the profile-only law. It can if mu is in
// [TwoTypesLaws::kMinMu, TwoTypesLaws::kMaxMu], and the expected numbers of clients that report (`reporting`)
// and that do not (`absent`) are large enough. In a subset protocol somebody is certainly absent: pass
// infinity for `absent`.
bool two_types_cover(double mu, double reporting, double absent);

class GaussianTwoTypesCurve {
 public:
  // `local` must be made from the mechanism whose messages are bounded; it gives the profile-only bound.
  // `mu`, in [TwoTypesLaws::kMinMu, TwoTypesLaws::kMaxMu], is the diameter of a ball that holds all records,
  // in deviations of the noise. There are n >= 2 honest clients. In a check-in each reports with probability
  // `rate` in (0, 1); in a subset k < n of them report.
  static GaussianTwoTypesCurve check_in(std::shared_ptr<const ReportingSum> local, double mu, double n,
                                        double rate);
  static GaussianTwoTypesCurve subset(std::shared_ptr<const ReportingSum> local, double mu, double n,
                                      double k);

  // Returns the bound at epsilon >= 0. `upper` is proven. `estimate` is at most the exact value of the bound
  // at the top of this file, so upper - estimate covers the numerical error and the excess of the certified
  // maximum.
  numerics::UpperAndEstimate delta(double epsilon) const;

 private:
  GaussianTwoTypesCurve(std::shared_ptr<const ReportingSum> local, double mu, double n, double terms,
                        double rate);
  numerics::UpperAndEstimate profile_only(double epsilon) const;

  std::shared_ptr<const ReportingSum> local_;
  std::shared_ptr<const TwoTypesLaws> laws_;
  double spread_;  // standard deviation of a reporting client's term at E = 1
  // If upper and estimate differ by more than this, relative to upper, another bound is tried.
  double wide_;
  double n_, terms_, rate_;  // terms_ of n_ clients may report; a subset has rate_ = 1
};

}  // namespace muster::accounting
