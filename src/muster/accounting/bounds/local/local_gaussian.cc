// Composition of a Gaussian message sent with a public coin: k ~ Bin(T, rate) messages are one mu sqrt(k)
// Gaussian pair, whose delta grows with k. So sum over blocks of k, each at its largest k, with the binomial
// tails added whole.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "muster/accounting/bounds/binomial_blocks.h"
#include "muster/accounting/bounds/local/local.h"

namespace muster::accounting::local_detail {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;
constexpr double kTiny = std::numeric_limits<double>::min();
constexpr double kValues = 262144;

// (1 - Phi(x)) / phi(x) for x >= 0, relative error below 2e-13.
double mills(double x) {
  constexpr double half_root_two_pi = 1.2533141373155003;
  if (x < 12) return half_root_two_pi * std::exp(x * x / 2) * std::erfc(x / std::sqrt(2.0));
  double fraction = x;  // Laplace's continued fraction, converged to the last bit at x >= 12
  for (int j = 40; j >= 1; --j) fraction = x + j / fraction;
  return 1 / fraction;
}

// Blocks of participations: weight, and the mu of the block's largest k.
struct Mixture {
  std::vector<double> weight, mu;

  Mixture(double mu1, double rate, double rounds, double exponent) {
    // The window is about 3 sqrt(exponent) deviations: single values while it holds fewer than 2^18 of them.
    const double sd = std::sqrt(rounds * rate * (1 - rate));
    const double fineness = 3 * std::sqrt(exponent) * sd > kValues ? 1e-3 : 0;
    for (const BinomialBlock& block : binomial_blocks(rounds, rate, exponent, fineness)) {
      if (block.last == 0) continue;  // never took part: no loss
      weight.push_back(block.weight);
      mu.push_back(mu1 * std::sqrt(block.last));
    }
  }

  double delta(double epsilon) const {
    double sum = 0;
    for (std::size_t i = 0; i < weight.size(); ++i) sum += weight[i] * gaussian_pair_delta(mu[i], epsilon);
    return std::min(1.0, sum * (1 + 1e-10) + kTiny);
  }
};

}  // namespace

double gaussian_pair_delta(double mu, double epsilon) {
  // Phi(a) - e^eps Phi(b), a = mu/2 - eps/mu, b = a - mu; e^eps phi(b) = phi(a), so nothing overflows.
  const double a = mu / 2 - epsilon / mu;
  const double density = std::exp(-a * a / 2) * 0.3989422804014327;
  const double first = a <= 0 ? density * mills(-a) : 0.5 * std::erfc(-a / std::sqrt(2.0));
  const double second = density * mills(mu / 2 + epsilon / mu);
  // a carries 3 roundings of its two parts, mu two; d log phi = |a| da; mills and exp add under 3e-13.
  const double shift = 8 * kUnit * (mu / 2 + epsilon / mu);
  const double slack = 1e-12 + (std::fabs(a) + 1) * shift + 4 * kUnit * a * a;
  return std::min(1.0, std::max(first - second, 0.0) + slack * first + kTiny);
}

double gaussian_delta(double mu, double rate, std::uint64_t rounds, double epsilon) {
  return Mixture(mu, rate, static_cast<double>(rounds), 700).delta(epsilon);
}

double gaussian_epsilon(double mu, double rate, std::uint64_t rounds, double delta) {
  const Mixture mixture(mu, rate, static_cast<double>(rounds), 20 - std::log(delta));
  if (mixture.delta(0) <= delta) return 0;
  double low = 0, high = std::max(1e-9, mu * std::sqrt(static_cast<double>(rounds)));
  while (mixture.delta(high) > delta) {
    low = high, high *= 2;
    if (std::isinf(high)) return high;
  }
  while (high - low > 1e-12 * high) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (mixture.delta(middle) <= delta ? high : low) = middle;
  }
  return high;  // delta_upper(high) <= delta: the side that is true
}

}  // namespace muster::accounting::local_detail
