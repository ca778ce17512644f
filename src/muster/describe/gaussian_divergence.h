// The hockey-stick divergence of a pair of Gaussians, which is computed nowhere else.
//
// For N(mu, 1) against N(0, 1), where mu > 0 is the distance of two records in standard deviations of the
// noise, and l = ln alpha,
//     f(l) = Phi(mu/2 - l/mu) - e^l Phi(-mu/2 - l/mu),        f(l) = 1 - e^l + e^l f(-l).
// This is also the privacy profile of Gaussian noise in any dimension (Balle, Wang, "Improving the
// Gaussian mechanism for differential privacy", ICML 2018, Theorem 8). Everything is computed in l, so
// that nothing overflows however large the loss. Compared with 300-bit balls in
// gaussian_divergence_test.cc. Pure functions.
#pragma once

#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// The distances that are computed; see below for others.
inline constexpr double kMinGaussianMu = 1e-30, kMaxGaussianMu = 1e15;

// Encloses f for every distance within a relative 2^-52 of mu > 0 and every loss within 2^-51 of log_alpha,
// which covers the rounding of 2 / sigma and of a logarithm. 0 <= lower <= upper <= 1 and upper > 0, never
// NaN. The ends are a relative 4e-10 apart or less while mu < 1e3 and f > 1e-290. Outside those distances
// and |log_alpha| <= 1e30 the ends are those known at the nearest values inside. Throws
// Error(internal) for a NaN or mu <= 0. Takes about 60 ns.
numerics::Enclosure gaussian_divergence(double mu, double log_alpha);

// f to extended precision at exactly this mu, for differences between neighbouring points. Throws
// Error(internal) outside the ranges above and for log_alpha < 0. `error` bounds the relative error (about
// 1e-16); the value is 0 where f is below 1e-4900. Takes about 1 us.
struct ExtendedDivergence {
  long double value;
  long double error;
};
ExtendedDivergence extended_gaussian_divergence(long double mu, long double log_alpha);

// An upper bound of P(ln of the likelihood ratio > log_alpha) under N(0, 1), which is how steeply f falls
// per unit of alpha.
long double gaussian_alternative_tail(double mu, double log_alpha);

}  // namespace muster::accounting
