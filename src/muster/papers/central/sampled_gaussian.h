// Encloses the hockey-stick divergence of one round of the sampled Gaussian mechanism with a trusted server.
//
// The server samples each client independently with probability q, adds up the clipped vectors of the sampled
// clients, and adds normal noise of deviation sigma clip norms to every coordinate. With N(m) the normal law
// of mean m and deviation 1, and mu = 1 / sigma, the worst pairs of laws are
//     add or remove a client     P = (1-q) N(0) + q N(mu)     against    Q = N(0), and Q against P;
//     replace a client's record  P = (1-q) N(0) + q N(mu)     against    Q = (1-q) N(0) + q N(-mu).
// They dominate every pair of neighbouring data sets, in any dimension, and some data sets attain them
// (Theorem 25, docs/theory/sampled-gaussian.md). Let f_m(l) be the hockey-stick divergence of N(m) from N(0)
// at epsilon = l (describe/gaussian_divergence.h), E = e^epsilon and odds = (1-q) / q. The divergence is
//     for P from N(0):   q f_mu(epsilon + ln(1 + odds (1 - 1/E)));
//     for N(0) from P:   q k f_mu(epsilon - ln k) with k = 1 - odds (E-1), and 0 where k <= 0;
//     for a replaced record, with every split q = q1 + q2 and b = (E-1) (1-q), at most
//         q1 f_mu(ln(b / q1)) + q2 f_2mu(ln(E q / q2)).
// One split attains the last bound: there, both terms are differences of probabilities of the same event, on
// which P/Q exceeds E. Objects are immutable, and any thread may use them.
//
// References: Zhu, Dong, Wang, "Optimal accounting of differential privacy via characteristic function"
// (AISTATS 2022), for adding and removing; Kahane, "Sur le chaos multiplicatif" (Annales des sciences
// mathematiques du Quebec 9, 1985), for the inequality behind replacing, which
// docs/theory/sampled-gaussian.md proves.
#pragma once

#include "muster/numerics/enclosure.h"

namespace muster::accounting {

class SampledGaussian {
 public:
  // Requires a finite sigma > 0, and 0 < rate <= 1.
  SampledGaussian(double sigma, double rate) : mu_(1 / sigma), two_mu_(2 / sigma), rate_(rate) {}

  // Enclose the divergence at epsilon >= 0 of P from N(0) for an added client, and of N(0) from P for a
  // removed one.
  numerics::Enclosure added(double epsilon) const;
  numerics::Enclosure removed(double epsilon) const;
  // Encloses the divergence at epsilon >= 0 for a replaced record. It is the same in both directions.
  numerics::Enclosure replaced(double epsilon) const;

 private:
  double odds() const { return (1 - rate_) / rate_; }

  double mu_, two_mu_;
  double rate_;
};

}  // namespace muster::accounting
