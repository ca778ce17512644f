// Exact curves of one dataset: all other clients hold the victim's alternative record. Lower bounds on every
// true delta.
//
// With r = dR(x)/dR(x') at a message of R(x'), and r' = 1 w.p. 1-g, else r, the shuffled check-in of this
// dataset has
//     forward  delta(eps) = E( mean_n r' - E )_+        (victim x against x'),
//     reverse  delta(eps) = E( 1 - E mean_n r' )_+      (x' against x; equal to others = x),
// exactly. ldp-sgd and any class-C randomizer reach binary randomized response with opposite records; for a
// general epsilon0-LDP randomizer randomized response is one instance. The Gaussian's r is lognormal: merging
// its cells to their means keeps a lower bound (Jensen). Proven as a LOWER bound only.
// docs/theory/homogeneous.md.
#pragma once

#include "muster/accounting/accountant.h"
#include "muster/accounting/mechanisms/mechanism.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

class HomogeneousCurve {
 public:
  HomogeneousCurve(const Mechanism& mechanism, const ShuffledCheckIn& protocol);

  // Enclosures of the exact one-round delta at epsilon >= 0. The Gaussian's are of the merged pair: `lower`
  // is valid for the true one, `upper` only encloses the merged pair.
  numerics::Enclosure forward(double epsilon) const;
  numerics::Enclosure reverse(double epsilon) const;

 private:
  ShuffledCheckIn protocol_;
  std::vector<double> ratios_;   // values of r
  std::vector<double> weights_;  // their probabilities under R(x')
};

}  // namespace muster::accounting
