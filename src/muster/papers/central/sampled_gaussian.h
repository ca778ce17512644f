// One round of a trusted server that samples each client with probability q by a coin of its own, adds up the
// clipped vectors of the sampled ones, and adds normal noise of deviation sigma clips to every coordinate.
//
// With N(m) the normal law of mean m and deviation 1, and mu = 1 / sigma, the worst pairs of laws are
//     add or remove a client     P = (1-q) N(0) + q N(mu)     against    Q = N(0), and Q against P;
//     replace a client's record  P = (1-q) N(0) + q N(mu)     against    Q = (1-q) N(0) + q N(-mu).
// They dominate every pair of neighbouring data sets, in any dimension, and some data sets attain them
// (docs/theory/sampled-gaussian.md). The functions enclose the hockey-stick divergence of these pairs. With f the
// Gaussian's (describe/gaussian_divergence.h), E = e^epsilon and odds = (1-q) / q,
//     of P from N(0):   q f_mu(epsilon + ln(1 + odds (1 - 1/E)));
//     of N(0) from P:   q k f_mu(epsilon - ln k),     k = 1 - odds (E-1), and 0 where k <= 0;
//     when a record is replaced, for every split q = q1 + q2 an upper bound is
//         q1 f_mu(ln(b / q1)) + q2 f_2mu(ln(E q / q2)),     b = (E-1) (1-q),
//     which is the divergence itself for the split that the likelihood ratio's threshold makes.
// Immutable; the functions may be called from any thread.
//
// References: Zhu, Dong, Wang, "Optimal accounting of differential privacy via characteristic function" (AISTATS
// 2022) for add and remove; Kahane, "Sur le chaos multiplicatif" (1985), for the inequality behind replace. This
// project's Theorem 25 has both proofs.
#pragma once

#include "muster/numerics/enclosure.h"

namespace muster::accounting {

class SampledGaussian {
 public:
  // sigma > 0, finite; 0 < rate <= 1.
  SampledGaussian(double sigma, double rate) : mu_(1 / sigma), two_mu_(2 / sigma), rate_(rate) {}

  // Of the pair that adds a client: P from N(0); and in the other order. epsilon >= 0.
  numerics::Enclosure added(double epsilon) const;
  numerics::Enclosure removed(double epsilon) const;
  // Of the pair that replaces a record; both orders are alike. epsilon >= 0.
  numerics::Enclosure replaced(double epsilon) const;

 private:
  double odds() const { return (1 - rate_) / rate_; }

  double mu_, two_mu_;
  double rate_;
};

}  // namespace muster::accounting
