// Exact curves of one dataset: all other clients hold the victim's alternative
// record. Lower bounds on every true delta.
//
// With r = dR(x)/dR(x') at a message of R(x') and n clients of whom a given one
// reports with probability g (r' = 1 w.p. 1-g, else r, independent), or exactly k
// report (r' = r for k of them, 1 for n - k), the dataset has
//     forward  delta(eps) = E( mean_n r' - E )_+        (victim x against x'),
//     reverse  delta(eps) = E( 1 - E mean_n r' )_+      (x' against x; equal to others = x),
// exactly; g = 1 is the plain shuffle. Class C reaches binary randomized response with opposite records;
// for a general epsilon0-LDP randomizer randomized response is one instance. Continuous laws of r are
// merged to cell means, which keeps a lower bound (Jensen). Where no sum of doubles reaches the loss, the
// forward curve is at least what one ratio alone contributes: with threshold t = n (E - 1) + k >= k (k
// terms, k = n for coins) the events "this client's r passes t, nobody else's does" are disjoint, so
//     delta(eps) >= (k g / n) HS_t(R(x) || R(x')) P(r' <= k)^{k-1},
// which is convex in E like the curve itself.
// Proven as a LOWER bound only. docs/theory/homogeneous.md. Pure; call from any thread.
#pragma once

#include <memory>
#include <vector>

#include "muster/accounting/describe/mechanism.h"
#include "muster/accounting/theorems/shared/lognormal_law.h"
#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::accounting {

// `count` of the `clients` have a term, which is a report with probability `rate`.
struct HomogeneousShape {
  double clients;
  double count;
  double rate;
};

class HomogeneousCurve {
 public:
  HomogeneousCurve(const Mechanism& mechanism, const HomogeneousShape& shape);

  // Enclosures of the exact one-round delta at epsilon >= 0. Those of a continuous r are of the merged
  // pair: `lower` is valid for the true one, `upper` only encloses the merged pair. Either way what is
  // enclosed is a convex function of e^epsilon.
  numerics::Enclosure forward(double epsilon) const;
  numerics::Enclosure reverse(double epsilon) const;

 private:
  // A value of ln r and its probability under R(x'), to extended precision.
  struct Ratio {
    long double log;
    long double mass;
  };
  numerics::Enclosure forward_of_lognormal(double epsilon) const;
  numerics::Enclosure reverse_of_lognormal(double epsilon) const;
  numerics::AtomicLaw lognormal_term(double sign) const;  // of sign * (r' - 1), sign = +-1, rounded down
  numerics::Enclosure of_merged_pair(const numerics::Enclosure& excess, double scale) const;
  numerics::Enclosure one_ratio_alone(double epsilon) const;

  Mechanism mechanism_;
  HomogeneousShape shape_;
  std::vector<Ratio> ratios_;                           // of a discrete r
  std::shared_ptr<const CenteredLognormal> lognormal_;  // or of a Gaussian's
  double nobody_else_;                                  // P(r' <= k)^{k-1}, from below
};

}  // namespace muster::accounting
