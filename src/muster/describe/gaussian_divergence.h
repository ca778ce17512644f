// The hockey-stick divergence of a pair of Gaussians. Every bound that needs this divergence uses these
// functions. Only the gate's floor (gate/floor.h) has formulas of its own.
//
// For N(mu, 1) against N(0, 1), where mu > 0 is the distance of two records in standard deviations of the
// noise, and l = ln alpha,
//     f(l) = Phi(mu/2 - l/mu) - e^l Phi(-mu/2 - l/mu),        f(l) = 1 - e^l + e^l f(-l).
// This is also the privacy profile of Gaussian noise in any dimension (Balle, Wang, "Improving the Gaussian
// mechanism for differential privacy", ICML 2018, Theorem 8). Everything is computed in l, so that nothing
// overflows however large the loss. gaussian_divergence_test.cc compares the values with 256-bit ball
// arithmetic. Pure functions; call from any thread.
#pragma once

#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// The range of distances mu for which f is computed. See gaussian_divergence for other distances.
inline constexpr double kMinGaussianMu = 1e-30, kMaxGaussianMu = 1e15;

// Says how many roundings, of a relative 2^-53 each, the arguments of gaussian_divergence() may have: at most
// 4 and 16. The default covers the rounding of 2 / sigma and of a logarithm.
struct ArgumentRoundings {
  double mu = 2, log_alpha = 4;
};

// Encloses f for every mu > 0 and every l that differ from the arguments by at most `rounded` roundings.
// 0 <= lower <= upper <= 1 and upper > 0, never NaN. With the default, the ends are a relative 4e-10 apart or
// less while mu < 1e3 and f > 1e-290. For mu outside [kMinGaussianMu, kMaxGaussianMu] or |log_alpha| > 1e30
// the enclosure holds, but at least one end is the trivial 0 or 1. Throws Error(internal) for a NaN or
// mu <= 0. Takes about 60 ns.
numerics::Enclosure gaussian_divergence(double mu, double log_alpha, const ArgumentRoundings& rounded = {});

// f in extended precision at exactly these arguments, for callers that subtract values at neighbouring
// points. `error` bounds the relative error of `value` (about 1e-16), unless f is below 1e-4900, where
// the value is 0. Throws Error(internal) unless kMinGaussianMu <= mu <= kMaxGaussianMu and
// 0 <= log_alpha <= 1e30. Takes about 1 us.
struct ExtendedDivergence {
  long double value;
  long double error;
};
ExtendedDivergence extended_gaussian_divergence(long double mu, long double log_alpha);

// An upper bound of the probability under N(0, 1) that the log-likelihood ratio of N(mu, 1) to N(0, 1) is
// above log_alpha. This probability is -df/dalpha. The result is never
// NaN.
long double gaussian_alternative_tail(double mu, double log_alpha);

}  // namespace muster::accounting
