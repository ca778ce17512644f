#include "muster/describe/gaussian_divergence.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "muster/core/error.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

constexpr double kMaxLoss = 1e30;
// For mu up to this, f is computed as an integral, because digits would cancel in a difference.
constexpr double kClose = 0.05;

// The constants of the two precisions, double and long double. M is Mills' ratio, defined below.
// - `ratio`: a bound on the relative error of M(t).
// - `complement`: for t below `continued`, 1 - t M(t) has an absolute error of at most this times 1 + |t|.
// - `continued`, `terms`: if t >= `continued`, Laplace's continued fraction has converged after `terms`
//   terms.
// - `nodes`, `weights`: a Gauss-Legendre rule on [-1, 1]; only its nodes >= 0 are listed.
// - `rule`: the rule's relative error on an interval of length kClose. The error of a rule with n nodes is
//   proportional to the integrand's derivative of order 2n. For a half-normal s, this derivative is at most
//   about E s^{2n+1} / E s times the integrand.
template <class Real>
struct Precision;
template <>
struct Precision<double> {
  static constexpr double ratio = 1e-13, complement = 3e-14, continued = 12, rule = 2e-12;
  static constexpr int terms = 16;
  static constexpr std::array<double, 2> nodes{0, 0.77459666924148337704};
  static constexpr std::array<double, 2> weights{0.88888888888888888889, 0.55555555555555555556};
};
template <>
struct Precision<long double> {
  static constexpr long double ratio = 5e-18L, complement = 5e-18L, continued = 5, rule = 1e-20L;
  static constexpr int terms = 90;
  static constexpr std::array<long double, 3> nodes{0.0L, 0.538469310105683091036314420700208805L,
                                                    0.906179845938663992797626878299392965L};
  static constexpr std::array<long double, 3> weights{0.568888888888888888888888888888888889L,
                                                      0.478628670499366468041291514835638193L,
                                                      0.236926885056189087514264040719917363L};
};

template <class Real>
constexpr Real kRootTwo = Real(1.41421356237309504880168872420969808L);
template <class Real>
constexpr Real kRootTwoPi = Real(2.50662827463100050241576528481104525L);

// `ratio` is M(t) = (1 - Phi(t)) / phi(t). `complement` is 1 - t M(t), the integral of s e^{-ts - s^2/2} over
// s > 0. Both are positive and decrease in t.
template <class Real>
struct Mills {
  Real ratio, complement;
};

template <class Real>
Mills<Real> mills(Real t) {
  using P = Precision<Real>;
  if (t < P::continued) {
    const Real ratio = kRootTwoPi<Real> / 2 * std::exp(t * t / 2) * std::erfc(t / kRootTwo<Real>);
    return {ratio, 1 - t * ratio};
  }
  // M(t) = 1 / (t + 1/(t + 2/(t + ...))). All terms are positive, so nothing cancels.
  Real fraction = t;
  for (int j = P::terms; j >= 2; --j) {
    fraction = t + static_cast<Real>(j) / fraction;
  }
  const Real inner = 1 / fraction;
  return {1 / (t + inner), inner / (t + inner)};
}

// A divergence and a bound on its relative error.
template <class Real>
struct Divergence {
  Real value, error;
};

// Returns f for l >= 0, where l has the error of `of_loss` roundings. With y = l/mu - mu/2 and z = y + mu,
// e^l phi(z) = phi(y). So f = phi(y) (M(y) - M(z)), which is phi(y) times the integral of -M'(t) = 1 - t M(t)
// from y to z.
template <class Real>
Divergence<Real> divergence(Real mu, Real l, Real of_loss) {
  using P = Precision<Real>;
  constexpr Real unit = std::numeric_limits<Real>::epsilon() / 2;
  const Real distance = l / mu, y = distance - mu / 2, z = distance + mu / 2;
  const Real density = std::exp(-y * y / 2) / kRootTwoPi<Real>;
  // The relative rounding errors of f that are allowed for, in units of `unit`:
  // - (2 + of_loss) (|y| + 2) (l/mu + mu/2 + 1), raised by a third, for the error of y. This is at most
  //   2 + of_loss units of l/mu + mu/2: one for the quotient l/mu, of_loss for the error of l, and one for
  //   the difference. An error of y changes ln f by up to |y| + 2 times as much. If mu is near 1e15, the
  //   error is not small: it reaches 2.4 with that of mu. But f is then the normal tail of y, and the slope
  //   of its logarithm is at most |y| + 0.8 at y, and |y| + 2.1 on the average up to y + 2.4 (the slope is
  //   convex).
  // - 4 y^2 for squares in exponents, each of which has an error of y^2 / 2.
  // - 64 for everything else, some twenty operations of at most two units each.
  // Where Mills' ratios are subtracted, the last rounding of y and z changes each ratio by about one unit.
  // P::ratio, which is 90 units or more, includes this.
  const Real rounding =
      unit * (64 + 4 * y * y + 4 * (2 + of_loss) / 3 * (std::fabs(y) + 2) * (distance + mu / 2 + 1));
  if (mu <= Real(kClose)) {
    const Real half = mu / 2, centre = y + half;
    Real sum = P::weights[0] * mills(centre).complement;
    for (std::size_t i = 1; i < P::nodes.size(); ++i) {
      const Real step = half * P::nodes[i];
      sum += P::weights[i] * (mills(centre - step).complement + mills(centre + step).complement);
    }
    const Real lost = y < P::continued ? 2 * P::complement * (1 + std::fabs(y) + mu) / sum : 0;
    return {density * half * sum, rounding + P::rule + lost};
  }
  if (y > 0) {
    const Real first = mills(y).ratio, second = mills(z).ratio;
    return {density * (first - second), rounding + P::ratio * (first + second) / (first - second)};
  }
  const Real first = std::erfc(y / kRootTwo<Real>) / 2, second = density * mills(z).ratio;
  return {first - second, rounding + P::ratio * (first + second) / (first - second)};
}

}  // namespace

numerics::Enclosure gaussian_divergence(double mu, double log_alpha, const ArgumentRoundings& rounded) {
  if (!(mu > 0) || std::isnan(log_alpha)) {
    throw Error(ErrorCode::internal, "mu, ln alpha", fmt::format("{}, {}", mu, log_alpha), "mu > 0, a number",
                "no Gaussian divergence");
  }
  // Outside the range of mu or l, the value at the nearest end is a bound: f increases with mu and decreases
  // with l.
  if (mu > kMaxGaussianMu) return {0, 1};
  if (mu < kMinGaussianMu) return {0, gaussian_divergence(kMinGaussianMu, log_alpha, rounded).upper};
  if (log_alpha > kMaxLoss) return {0, gaussian_divergence(mu, kMaxLoss, rounded).upper};
  if (log_alpha < 0) {
    const numerics::Enclosure swapped = gaussian_divergence(mu, -log_alpha, rounded);
    const double alpha = std::exp(log_alpha), missing = -std::expm1(log_alpha);
    // `missing` takes two roundings, the product three and the sum one. If l has the error of k roundings,
    // e^l is wrong by k |l| roundings, and so 1 - e^l (1 - f(-l)) by at most k roundings of itself.
    const double slack = rounded.log_alpha > 4 ? numerics::kEightyRoundings : numerics::kEightRoundings;
    const double upper = (missing + alpha * swapped.upper) * (1 + slack);
    return {(missing + alpha * swapped.lower) * (1 - slack), upper < 1 ? upper : 1};
  }
  // Where |y| is above 40, f or 1 - f is below the smallest normal double. The error of the difference y is
  // at most two roundings of `parts`, the sum of its two terms, and what the errors of the arguments add.
  const double y = log_alpha / mu - mu / 2, parts = log_alpha / mu + mu / 2;
  constexpr double kMinNormal = std::numeric_limits<double>::min();
  if (y - numerics::kEightyRoundings * parts > 40) return {0, kMinNormal};
  if (y + numerics::kEightyRoundings * parts < -40) return {1 - numerics::kUlpAbove, 1};
  const Divergence<double> at = divergence(mu, log_alpha, rounded.log_alpha);
  // The slope d ln f / d ln mu = mu phi(y) / f is at most 2 + y^2 + (y + 1) mu for y > 0. For y <= 0, where
  // f >= min(1/4, mu/5), it is at most 2 + 4 mu phi(y). kUlpAbove is 3 % more than two of the roundings
  // that mu may have, which covers the roundings of the product. at.error allows for l.
  const double steepness = y > 0 ? 2 + y * y + (y + 1) * mu : 2 + 4 * mu * std::exp(-y * y / 2);
  const double slack = at.error + rounded.mu / 2 * numerics::kUlpAbove * (steepness + 1);
  // In the far tail `slack` is not small, and e^slack is noticeably larger than 1 + slack. Each result takes
  // four roundings: two of the exponential, one of its product and one of the sum. The roundings of the
  // exponent are covered by at.error, which is a quarter larger than needed.
  const double grown = at.value * std::exp(slack) * (1 + numerics::kEightRoundings) + kMinNormal;
  const double shrunk = at.value * std::exp(-slack) * (1 - numerics::kEightRoundings) - kMinNormal;
  return {shrunk > 0 ? shrunk : 0, grown < 1 ? grown : 1};
}

ExtendedDivergence extended_gaussian_divergence(long double mu, long double log_alpha) {
  if (!(mu >= kMinGaussianMu && mu <= kMaxGaussianMu && log_alpha >= 0 && log_alpha <= kMaxLoss)) {
    throw Error(ErrorCode::internal, "mu, ln alpha",
                fmt::format("{}, {}", static_cast<double>(mu), static_cast<double>(log_alpha)),
                "1e-30 .. 1e15, 0 .. 1e30", "outside the Gaussian divergence");
  }
  const Divergence<long double> at = divergence(mu, log_alpha, 4.0L);
  return {at.value, at.error};
}

long double gaussian_alternative_tail(double mu, double log_alpha) {
  const long double distance = static_cast<long double>(log_alpha) / mu, z = distance + mu / 2;
  // The logarithm of the tail changes by at most 2 + |z| times the error of z. z takes two roundings, and its
  // quotient by the root of 2 takes two more; eight are allowed for. mu itself may be off by a relative
  // 2^-52. kExtendedRoundings covers the functions and products, which take some fourteen roundings.
  const long double slack = (4 * std::numeric_limits<long double>::epsilon() + numerics::kUlpAbove) *
                            (2 + std::fabs(z)) * (std::fabs(distance) + mu + 1);
  const long double tail =
      std::erfc(z / kRootTwo<long double>) / 2 * std::exp(slack) * (1 + numerics::kExtendedRoundings) +
      std::numeric_limits<long double>::min();
  return tail < 1 ? tail : 1;
}

}  // namespace muster::accounting
