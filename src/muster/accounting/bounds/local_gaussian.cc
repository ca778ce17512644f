// Composition of a Gaussian message sent with a public coin: k ~ Bin(T, rate) messages are one mu sqrt(k)
// Gaussian pair, whose delta grows with k. So sum over blocks of k, each at its largest k, with the binomial
// tails added whole.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "muster/accounting/bounds/local.h"

namespace muster::accounting::local_detail {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;
constexpr double kTiny = std::numeric_limits<double>::min();
constexpr double kBlocks = 262144;

// (1 - Phi(x)) / phi(x) for x >= 0, relative error below 2e-13.
double mills(double x) {
  constexpr double half_root_two_pi = 1.2533141373155003;
  if (x < 12) return half_root_two_pi * std::exp(x * x / 2) * std::erfc(x / std::sqrt(2.0));
  double fraction = x;  // Laplace's continued fraction, converged to the last bit at x >= 12
  for (int j = 40; j >= 1; --j) fraction = x + j / fraction;
  return 1 / fraction;
}

// k log(k / (T g)) + (T-k) log((T-k) / (T (1-g))): minus the log of the Chernoff bound of a binomial tail.
double chernoff_exponent(double k, double rounds, double rate) {
  const double up = k > 0 ? k * std::log(k / (rounds * rate)) : 0;
  const double down = k < rounds ? (rounds - k) * std::log((rounds - k) / (rounds * (1 - rate))) : 0;
  // Outward: each logarithm's argument carries two roundings, and the terms cancel.
  return up + down - 8 * kUnit * (rounds + std::fabs(up) + std::fabs(down));
}

// The farthest integer from the mean on one side with exponent below `exponent`.
double edge(double rounds, double rate, double exponent, bool upper) {
  double inside = std::floor(rounds * rate), outside = upper ? rounds + 1 : -1;
  while (std::fabs(outside - inside) > 1) {
    const double middle = std::floor((inside + outside) / 2);
    (chernoff_exponent(middle, rounds, rate) < exponent ? inside : outside) = middle;
  }
  return inside;
}

// Blocks of participations: weight and the mu of the block's largest k; `missing` bounds all k left out.
struct Mixture {
  std::vector<double> weight, mu;
  double missing = 0;

  Mixture(double mu1, double rate, double rounds, double exponent) {
    if (rate == 1) {
      weight = {1}, mu = {mu1 * std::sqrt(rounds)};
      return;
    }
    const double lo = edge(rounds, rate, exponent, false), hi = edge(rounds, rate, exponent, true);
    if (lo > 0) missing += std::exp(-chernoff_exponent(lo - 1, rounds, rate));
    if (hi < rounds) missing += std::exp(-chernoff_exponent(hi + 1, rounds, rate));
    // Ratios from the mode outwards; dividing by the window's own sum can only raise a weight.
    const auto count = static_cast<std::size_t>(hi - lo) + 1;
    std::vector<double> mass(count);
    const double mode = std::clamp(std::floor((rounds + 1) * rate), lo, hi), odds = rate / (1 - rate);
    mass[static_cast<std::size_t>(mode - lo)] = 1;
    for (double k = mode; k < hi; ++k) {
      const auto at = static_cast<std::size_t>(k - lo);
      mass[at + 1] = mass[at] * ((rounds - k) / (k + 1) * odds);
    }
    for (double k = mode; k > lo; --k) {
      const auto at = static_cast<std::size_t>(k - lo);
      mass[at - 1] = mass[at] * (k / (rounds - k + 1) / odds);
    }
    double sum = 0;
    for (const double m : mass) sum += m;
    const double outward = (1 + 16 * kUnit * static_cast<double>(count)) / sum;
    const auto width = static_cast<std::size_t>(std::ceil(static_cast<double>(count) / kBlocks));
    for (std::size_t i = 0; i < count; i += width) {
      const std::size_t end = std::min(i + width, count);
      double block = 0;
      for (std::size_t j = i; j < end; ++j) block += mass[j];
      weight.push_back(block * outward);
      mu.push_back(mu1 * std::sqrt(lo + static_cast<double>(end - 1)));
    }
  }

  double delta(double epsilon) const {
    double sum = missing;
    for (std::size_t i = 0; i < weight.size(); ++i) {
      if (mu[i] > 0) sum += weight[i] * gaussian_pair_delta(mu[i], epsilon);
    }
    return std::min(1.0, sum * (1 + 1e-11) + kTiny);
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
