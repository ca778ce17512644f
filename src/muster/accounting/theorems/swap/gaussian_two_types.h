// Gaussian messages under check-in and fixed subsets, nearly exactly: two types of other clients and a
// certified correction (docs/theory/gaussian-two-types.md).
//
// Records in a ball of diameter mu noise deviations, any dimension; one rate g for all. With
// the laws of two_types_laws.h and E = e^eps, for every ordered pair of records of the
// victim and every dataset of the others
//     delta(eps) <= max over 0 <= i <= m of F_i(eps)  +  g cut  +  g^n f(E),
// F_i the sum of the swap theorem with i others of type A, who hold her record, and m - i of type B, who hold
// her alternative. The maximum is certified over ALL i (numerics/sums/worst_mixture.h). The profile-only law X*
// takes its place where that is less, where the certificate fails, and where e^eps or mu leave the table. A
// fixed secret subset of k: the largest sum of k such terms, plus (k/n) cut. Replace-one, proven. NOT for
// adaptive rounds inside a slot protocol, NOT for unequal rates. Immutable; call from any thread.
#pragma once

#include <memory>

#include "muster/accounting/theorems/swap/reporting_sum.h"
#include "muster/accounting/theorems/swap/two_types_laws.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// Whether the curve is ever less than the profile-only law's: a ball of diameter mu is in the table's range,
// and enough clients report and are absent, in expectation (a subset's absentees are certain: give infinity).
bool two_types_cover(double mu, double reporting, double absent);

class GaussianTwoTypesCurve {
 public:
  // `local`: the randomizer's, for the profile-only law; `mu`: the diameter of a ball that holds all records,
  // in noise deviations, in the table's range. n >= 2 honest clients, rate in (0, 1); k < n of them.
  static GaussianTwoTypesCurve check_in(std::shared_ptr<const ReportingSum> local, double mu, double n,
                                        double rate);
  static GaussianTwoTypesCurve subset(std::shared_ptr<const ReportingSum> local, double mu, double n,
                                      double k);

  // `upper` is proven; `lower` is at most the expression above, so that upper - lower holds numerical error
  // and what the certificate over i allows.
  numerics::Enclosure delta(double epsilon) const;

 private:
  GaussianTwoTypesCurve(std::shared_ptr<const ReportingSum> local, double mu, double n, double terms,
                        double rate);
  numerics::Enclosure profile_only(double epsilon) const;

  std::shared_ptr<const ReportingSum> local_;
  std::shared_ptr<const TwoTypesLaws> laws_;
  double spread_;            // the deviation of a term
  double wide_;              // an enclosure, relative, that another way may beat
  double n_, terms_, rate_;  // terms_ < n_: a subset, of rate 1
};

}  // namespace muster::accounting
