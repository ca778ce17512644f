// The Gaussian in a plain shuffle, any dimension and any noise: a blanket made of the centre's law
// (docs/theory/gaussian-blanket.md).
//
// n clients send R(x) = N(x, I) in units of the noise deviation, records within r of some o and
// within mu <= 2 r of each other; all reports are shuffled. For every eta >= 0, with beta = e^-eta, E = e^eps
// and H_m(alpha) the Gaussian's profile at distance m,
//     delta(eps) <= (1/n) E(G_1 + ... + G_n)_+  +  (1 + E)(n - 1) beta H_r(e^eta),
// where G is the law whose stop-loss transform is the larger convex one below
//     (E/s) H_mu(s) + (1 - E/s) H_r(s),   s = E + c beta,                                for c >= 0,
//     1 - E + |c| + E (H_mu(s)/u + (1 - 1/u) H_r(s)),   u = 1 + |c| beta,  s = u/E,     for c < 0.
// Replace-one, PROVEN, both orders, every data set. Weaker than the star with a pool while that has clones
// enough (mu below about 0.6); it keeps working where the star has nothing. Immutable; call from any thread.
#pragma once

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::accounting {

class GaussianBlanket {
 public:
  // n >= 1, mu > 0, mu/2 <= radius.
  GaussianBlanket(double n, double mu, double radius) : n_(n), mu_(mu), radius_(radius) {}

  // epsilon >= 0. `upper` never passes the local profile; upper - lower is numerical error alone (eta is the
  // best of a ladder).
  numerics::Enclosure delta(double epsilon) const;

  // The same at one eta.
  numerics::Enclosure at(double eta, double epsilon) const;

 private:
  struct Law {
    numerics::AtomicLaw terms;
    double beyond;  // stop-loss transform at the cut, charged once
    bool valid;
  };
  Law law(double eta, double epsilon, double step, double cut) const;
  double penalty(double eta, double epsilon) const;

  double n_;
  double mu_;
  double radius_;
};

}  // namespace muster::accounting
