// Exact curves of one dataset: all other clients hold the victim's alternative record. Lower bounds on every
// true delta.
//
// With r = dR(x)/dR(x') at a message of R(x') and n clients of whom a given one reports with probability g
// (r' = 1 w.p. 1-g, else r, independent), or exactly k report (r' = r for k of them, 1 for n - k), the
// dataset has
//     forward  delta(eps) = E( mean_n r' - E )_+        (victim x against x'),
//     reverse  delta(eps) = E( 1 - E mean_n r' )_+      (x' against x; equal to others = x),
// exactly; g = 1 is the plain shuffle. Class C reaches binary randomized response with opposite records; for
// a general epsilon0-LDP randomizer randomized response is one instance. Continuous laws of r are merged to
// cell means, which keeps a lower bound (Jensen). Proven as a LOWER bound only. docs/theory/homogeneous.md.
// Pure; call from any thread.
#pragma once

#include <vector>

#include "muster/accounting/mechanisms/mechanism.h"
#include "muster/numerics/atomic_law.h"
#include "muster/numerics/enclosure.h"

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

  // Enclosures of the exact one-round delta at epsilon >= 0. Those of a continuous r are of the merged pair:
  // `lower` is valid for the true one, `upper` only encloses the merged pair.
  numerics::Enclosure forward(double epsilon) const;
  numerics::Enclosure reverse(double epsilon) const;

 private:
  numerics::AtomicLaw term(double sign) const;  // of sign * (r' - 1)

  HomogeneousShape shape_;
  std::vector<double> ratios_;   // values of r
  std::vector<double> weights_;  // their probabilities under R(x')
};

}  // namespace muster::accounting
