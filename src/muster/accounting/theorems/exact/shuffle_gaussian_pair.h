// The shuffled Gaussian where everybody reports and all other clients hold the victim's alternative: the
// exact curve of that pair, enclosed.
//
// n clients each add spherical noise of deviation s to their record; the victim's two records are Delta
// apart, all others hold the second. With r_1 .. r_n independent lognormal likelihood ratios of log-deviation
// mu = Delta / s and mean 1, and E = e^eps,
//     forward  delta(eps) = E( mean_n r - E )_+,        reverse  delta(eps) = E( 1 - E mean_n r )_+ .
// Proven as a LOWER bound on the divergence of the shuffled Gaussian, Delta = the diameter of the records
// (2C at clip norm C). As an upper bound it is conditional on "the homogeneous pair with Delta = diameter is
// worst", which is not proven; at Delta = C (the published reading) it is false. The same pair is random
// allocation exactly (random_allocation.h). docs/theory/shuffle-gaussian.md.
#pragma once

#include <cstdint>
#include <memory>

#include "muster/accounting/theorems/shared/lognormal_law.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// Enclosures of the exact curves at epsilon >= 0. Call from any thread. Where the sum is close to normal
// (many clients, mu at most 1) a point costs a contour integral; where the lognormal's tail rules, two laws
// of the whole sum are built on first use and a point costs a pass over their atoms.
class ShuffleGaussianPair {
 public:
  // clients >= 1, mu > 0. Beyond mu = 8 the enclosures are what one ratio alone makes of the sum, and
  // the Gaussian without any shuffling.
  ShuffleGaussianPair(std::uint64_t clients, double mu);

  enum class End { both, lower, upper };  // which end is wanted: the other is then 0 or 1, at half the price

  numerics::Enclosure forward(double epsilon, End end = End::both) const;
  numerics::Enclosure reverse(double epsilon, End end = End::both) const;

  // The forward curve to within a factor of a few, in a microsecond: a starting point, no bound.
  double rough(double epsilon) const;

 private:
  struct WholeSum;  // its laws by doubling, above and below

  numerics::Enclosure forward_by_contour(double epsilon, double tail, End end) const;
  numerics::Enclosure reverse_by_contour(double epsilon, double tail, End end) const;

  numerics::Enclosure one_ratio_alone(double epsilon) const;  // a lower curve where the tail rules

  double n_;
  double mu_;
  std::shared_ptr<const CenteredLognormal> ratio_;  // none where doubling always serves
  std::shared_ptr<WholeSum> sum_;
};

}  // namespace muster::accounting
