// Bounds the Gaussian in a plain shuffle, in any dimension and at any noise, by a blanket made of the law
// of the records' centre (Theorem 15, docs/theory/gaussian-blanket.md).
//
// Lengths are in standard deviations of the noise. Each of n clients sends a message of law R(x) = N(x, I),
// and all messages are shuffled. The records x lie within r of some point o and within mu <= 2 r of each
// other. Let E = e^eps, and let H_m(alpha) be the privacy profile of two Gaussians at distance m. For every
// eta >= 0, with beta = e^-eta,
//     delta(eps) <= (1/n) * mean of ( G_1 + ... + G_n )_+  +  (1 + E)(n - 1) beta H_r(e^eta),
// where the G_i are independent, of any law whose stop-loss transform E(G - c)_+ at every c is at least
//     (E/s) H_mu(s) + (1 - E/s) H_r(s),   s = E + c beta,                                for c >= 0,
//     1 - E + |c| + E (H_mu(s)/u + (1 - 1/u) H_r(s)),   u = 1 + |c| beta,  s = u/E,     for c < 0.
// The bound is proven for replace-one neighbours, in both orders, an honest shuffler and every data set. The
// bound of star_pool.h is smaller where its pool has enough clones, which is for small mu and many clients.
// This bound also holds where star_pool.h gives none. Objects are immutable and may be used from any thread.
#pragma once

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::accounting {

class GaussianBlanket {
 public:
  // Requires n >= 1, mu > 0 and radius >= mu/2; `radius` is the r above.
  GaussianBlanket(double n, double mu, double radius) : n_(n), mu_(mu), radius_(radius) {}

  // Returns the bound at epsilon >= 0, for the eta that a search finds to be best. `upper` never exceeds
  // the profile of a single message, and upper - estimate is only numerical error. Above an epsilon of 300,
  // the sum is not computed: `upper` is that profile and `estimate` is 0.
  numerics::UpperAndEstimate delta(double epsilon) const;

  // Returns the bound at the given eta.
  numerics::UpperAndEstimate at(double eta, double epsilon) const;

 private:
  struct Law {
    numerics::AtomicLaw terms;
    // The stop-loss transform of G / E at the rightmost node. E times this value is added to delta once.
    double beyond;
    bool valid;  // whether the weights of the nonzero values sum to at most 1, so that it is a law
  };
  // The bound at one eta. `share` is the lower end of the expected excess divided by Chernoff's bound on
  // it, or 0 where the excess was not computed.
  struct Attempt {
    numerics::UpperAndEstimate delta;
    double share = 0;
  };
  class Transform;
  // Makes a law for G / E that is cut where the stop-loss transform of G is at most `cut`. Nodes of
  // `transform` are computed as they are needed.
  Law law(double eta, Transform& transform, double cut) const;
  // Returns the bound at `eta`, or the profile of a single message if the bound is certainly or very
  // probably no smaller than `best`.
  Attempt attempt(double eta, Transform& fine, const Attempt& best) const;
  double penalty(double eta, double epsilon) const;  // (1 + E)(n - 1) beta H_r(e^eta), rounded up

  double n_;
  double mu_;
  double radius_;
};

}  // namespace muster::accounting
