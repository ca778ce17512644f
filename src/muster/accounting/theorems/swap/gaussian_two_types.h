// The bound by two types of other clients and a certified correction: Gaussian messages under check-in
// and fixed subsets, nearly exactly (Theorem 5, docs/theory/gaussian-two-types.md).
//
// Records lie in a ball of diameter mu noise deviations, in any dimension; all clients have one rate g.
// With the laws of two_types_laws.h and E = e^eps, every ordered pair of records of the victim and every
// dataset of the others satisfy
//     delta(eps) <= max over 0 <= i <= m of F_i(eps)  +  g cut  +  g^n f(E).
// F_i is the sum of the swap theorem with i others of type A, who hold her record, and m - i of type B,
// who hold her alternative; cut is the charge of those laws, and f is the local profile. The maximum is
// certified over all i (numerics/sums/worst_mixture.h). The bound of the profile-only law X* takes its
// place where that is smaller, where the certificate fails, and where e^eps is beyond the table. For a
// fixed secret subset of k clients the bound is the largest sum of k such terms plus (k/n) cut. Proven
// for replace-one neighbours. It does not hold for adaptive rounds inside a slot protocol, nor for
// unequal rates. Immutable; call from any thread.
#pragma once

#include <memory>

#include "muster/accounting/theorems/swap/reporting_sum.h"
#include "muster/accounting/theorems/swap/two_types_laws.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// Whether this curve can be below that of the profile-only law: mu is in the table's range, and
// enough clients are expected to report and to be absent. The absentees of a subset are certain: pass
// infinity for `absent`.
bool two_types_cover(double mu, double reporting, double absent);

class GaussianTwoTypesCurve {
 public:
  // `local` is the randomizer's sum, for the profile-only law. `mu`, in the table's range, is the
  // diameter of a ball that holds all records, in noise deviations. There are n >= 2 honest clients; they
  // report at a rate in (0, 1), or k < n of them do.
  static GaussianTwoTypesCurve check_in(std::shared_ptr<const ReportingSum> local, double mu, double n,
                                        double rate);
  static GaussianTwoTypesCurve subset(std::shared_ptr<const ReportingSum> local, double mu, double n,
                                      double k);

  // `upper` is proven. `estimate` is at most the expression above, so the gap to upper contains the numerical
  // error and the allowance of the certificate over i.
  numerics::UpperAndEstimate delta(double epsilon) const;

 private:
  GaussianTwoTypesCurve(std::shared_ptr<const ReportingSum> local, double mu, double n, double terms,
                        double rate);
  numerics::Enclosure profile_only(double epsilon) const;

  std::shared_ptr<const ReportingSum> local_;
  std::shared_ptr<const TwoTypesLaws> laws_;
  double spread_;            // deviation of a term
  double wide_;              // relative width of an enclosure from which another bound is tried
  double n_, terms_, rate_;  // terms_ < n_ for a subset, whose rate is 1
};

}  // namespace muster::accounting
