#include "muster/papers/central/sampled_gaussian.h"

#include <cmath>
#include <limits>

#include "muster/describe/gaussian_divergence.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

using numerics::Enclosure;
using numerics::larger;
using numerics::smaller;

constexpr double kArgument = numerics::kEightRoundings;

// Encloses weight * f_mu(l), where the weight has a relative error of at most kEightRoundings + error, and l
// an absolute error of at most `error`. The function f_mu is decreasing, so its smallest value is at the
// largest l. The smallest normal double is added to the upper end, because the product may underflow.
Enclosure term(double weight, double mu, double l, double error) {
  const double relative = numerics::kEightRoundings + error;
  return {weight * gaussian_divergence(mu, l + error).lower * (1 - relative),
          weight * gaussian_divergence(mu, l - error).upper * (1 + relative) +
              std::numeric_limits<double>::min()};
}

Enclosure outward(double lower, double upper) {
  return {numerics::as_lower_bound(lower * (1 - numerics::kEightRoundings)),
          numerics::as_upper_bound(upper * (1 + numerics::kEightRoundings))};
}

// Returns ln(e^epsilon - 1) for epsilon > 0, also where e^epsilon overflows.
double log_growth(double epsilon) {
  return epsilon > 1 ? epsilon + std::log1p(-std::exp(-epsilon)) : std::log(std::expm1(epsilon));
}

// Returns asinh(e^x), also where e^x overflows.
double asinh_of_exp(double x) {
  constexpr double kLarge = 40;  // above it, asinh(e^x) = x + ln 2 within e^-80
  return x > kLarge ? x + std::log(2.0) : std::asinh(std::exp(x));
}

}  // namespace

Enclosure SampledGaussian::added(double epsilon) const {
  // Both terms of l are non-negative, so the relative error of their sum is at most eight roundings.
  const double l = epsilon + std::log1p(odds() * -std::expm1(-epsilon));
  const Enclosure pair = term(rate_, mu_, l, kArgument * l);
  return outward(pair.lower, pair.upper);
}

Enclosure SampledGaussian::removed(double epsilon) const {
  // `lost` is 1 - k for the factor k of sampled_gaussian.h.
  const double lost = odds() > 0 ? odds() * std::expm1(epsilon) : 0;
  // The product k f_mu(epsilon - ln k) falls as 1 - k grows, so 1 - k is rounded up for the lower end and
  // down for the upper end.
  const auto part = [&](double less) {
    const double kept = 1 - less;
    if (!(kept > 0)) return Enclosure{0, 0};
    const double l = epsilon - std::log1p(-less);
    return term(rate_ * kept, mu_, l, kArgument * l);
  };
  return outward(part(lost * (1 + numerics::kEightRoundings)).lower,
                 part(lost * (1 - numerics::kEightRoundings)).upper);
}

// The likelihood ratio P/Q equals E at the point z with e^{mu z} = e^{epsilon/2} (t + sqrt(t^2 + 1)), where
// t = b / (2 q e^{-mu^2/2} e^{epsilon/2}). Let m = mu z, and let Phi be the distribution function of N(0).
// For every z, the event A = {x > z} has
//     P(A) - E Q(A) = q1 f_mu(m - mu^2/2) + q2 f_2mu(2 m) + (q - q1 - q2) Phi(mu - z),
//     q1 = b e^{mu^2/2 - m},  q2 = E q e^{-2m}.
// This difference is a lower bound of the divergence. The header's formula with a split q = q1 + q2 is an
// upper bound.
Enclosure SampledGaussian::replaced(double epsilon) const {
  if (odds() == 0 || epsilon == 0) {
    // b = 0, so the divergence is q times that of N(mu) from N(-mu).
    const Enclosure pair = term(rate_, two_mu_, epsilon, kArgument * epsilon);
    return outward(pair.lower, pair.upper);
  }
  const double half_square = mu_ * mu_ / 2;
  const double log_b = log_growth(epsilon) + std::log1p(-rate_), log_q = std::log(rate_);
  const double m = epsilon / 2 + asinh_of_exp(log_b - std::log(2.0) - log_q + half_square - epsilon / 2);
  // Every logarithm below is a sum of at most six terms of these sizes, each within a few roundings.
  const double error =
      kArgument * (8 + std::fabs(log_b) + std::fabs(log_q) + epsilon + 2 * half_square + 2 * std::fabs(m));
  const double exponent = smaller(log_b + half_square - m, log_q);
  const double q1 = std::exp(exponent), first = larger(0.0, smaller(q1, rate_)), second = rate_ - first;
  double upper = 0;
  if (first > 0) upper += term(first, mu_, log_b - std::log(first), error).upper;
  if (second > 0) upper += term(second, two_mu_, epsilon + log_q - std::log(second), error).upper;

  const double q2 = std::exp(epsilon + log_q - 2 * m);
  const double own = term(q1, mu_, m - half_square, error).lower + term(q2, two_mu_, 2 * m, error).lower;
  // q - q1 - q2 is 0 up to rounding. If it may be negative, its factor Phi(mu - z) is bounded from above.
  const double slack = error + numerics::kEightRoundings;
  const double rest = smaller(0.0, rate_ - (q1 + q2) * (1 + slack) - rate_ * numerics::kEightRoundings);
  const double beyond = larger(0.0, m / mu_ - mu_);
  const double tail = smaller(1.0, std::exp(-beyond * beyond / 2) * (1 + numerics::kEightMillionRoundings));
  return outward(larger(0.0, own + rest * tail), upper);
}

}  // namespace muster::accounting
