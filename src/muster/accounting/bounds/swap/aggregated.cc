#include "muster/accounting/bounds/swap/aggregated.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "muster/accounting/bounds/binomial_blocks.h"

namespace muster::accounting {
namespace {

using numerics::Enclosure;

constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;
constexpr double kTiny = std::numeric_limits<double>::min();
constexpr double kExponent = 90;         // the window of k leaves out e^-90
constexpr double kRelativeWidth = 5e-6;  // of a block of k: the two-sided cost of charging it at its ends
constexpr double kImprobable = 1e-36;    // a block of N this rare is charged whole
constexpr double kHalfRootTwoPi = 1.2533141373155003;
constexpr double kRootTwoPi = 2.5066282746310002;

// (1 - Phi(t)) / phi(t) and 1 - t times it, t >= -38.
struct Mills {
  double ratio, complement;
};

Mills mills(double t) {
  if (t < 12) {
    const double ratio = kHalfRootTwoPi * std::exp(t * t / 2) * std::erfc(t / std::sqrt(2.0));
    return {ratio, 1 - t * ratio};
  }
  // Laplace's continued fraction 1 / (t + 1/(t + 2/(t + ...))): converged to the last bit at t >= 12.
  double fraction = t;
  for (int j = 16; j >= 2; --j) fraction = t + j / fraction;
  const double inner = 1 / fraction;
  return {1 / (t + inner), inner / (t + inner)};
}

double gaussian_total_variation(double mu) { return std::min(1.0, mu / kRootTwoPi); }

}  // namespace

namespace aggregated_detail {

Enclosure gaussian_pair(double mu, double epsilon) {
  // f = phi(y) (M(y) - M(y + mu)), M = (1 - Phi)/phi, y = eps/mu - mu/2, because e^eps phi(y + mu) = phi(y).
  const double distance = epsilon / mu, y = distance - mu / 2;
  const double density = std::exp(-y * y / 2) / kRootTwoPi;
  double value = 0, error = 0;
  if (mu <= 0.05) {
    // M(y) - M(y + mu) is the integral of 1 - t M(t) over [y, y + mu]: three Gauss nodes. The integrand is
    // E s e^{-ts} for a half-normal s, completely monotone, so the error is relative mu^6 / 2016000 times
    // (E s^7 / E s) <= 49: below 4e-13.
    const double half = mu / 2, node = 0.7745966692414834 * half, centre = y + half;
    const double low = mills(centre - node).complement, high = mills(centre + node).complement;
    const double middle = mills(centre).complement;
    value = mu * (5 * (low + high) + 8 * middle) / 18;
    error = value * 1e-12 + mu * 3e-14 * (1 + std::fabs(centre));  // 1 - t M(t) below t = 12
    if (centre > 13) error = value * 2e-12;
  } else if (y > 0) {
    const double first = mills(y).ratio, second = mills(y + mu).ratio;
    value = first - second;
    error = 1e-13 * (first + second);
  } else {
    const double first = 0.5 * std::erfc(y / std::sqrt(2.0));
    const double second = density * mills(y + mu).ratio;
    const double rounding = 1e-13 * (first + second) + 16 * kUnit * (1 + y * y + distance + mu);
    return {std::max(0.0, first - second - rounding),
            std::min(1.0, std::max(0.0, first - second) + rounding + kTiny)};
  }
  // Roundings of eps, mu and y: |d ln f| <= (y + mu + 2) d(eps/mu) + (2 + y^2) d ln mu.
  const double shift = 16 * kUnit * ((std::fabs(y) + mu + 2) * (distance + mu / 2 + 1) + 2 + y * y);
  const double slack = value * shift + error;
  return {std::max(0.0, density * (value - slack)),
          std::min(1.0, density * (value + slack) * (1 + shift) + kTiny)};
}

}  // namespace aggregated_detail

AggregatedGaussianCurve::AggregatedGaussianCurve(double mu, double n, double g, double kmin, FewReports few)
    : AggregatedGaussianCurve(mu, n, g, g, kmin, few) {}

// With j = k - 1 others reporting, j ~ Bin(n-1, g): the victim is among the k with weight own * Bin(n-1,
// g)(j), and away with weight (1 - own) Bin(n-1, g)(j + 1).
AggregatedGaussianCurve::AggregatedGaussianCurve(double mu, double n, double own, double g, double kmin,
                                                 FewReports few)
    : own_(own) {
  const auto share = [=](double k) {
    if (k >= n) return 1.0;
    if (own == g) return k / n;
    const double present = own * k * (1 - g);
    return present / (present + (1 - own) * (n - k) * g);
  };
  const double others = n - 1, sd = std::sqrt(others * g * (1 - g));
  const double fineness = sd > 0 ? kRelativeWidth * others * g / sd : 0;
  const std::vector<BinomialBlock> cut = binomial_blocks(others, g, kExponent, fineness);
  // The blocks of the window come first and sum to 1 and rounding; those beyond weigh their Chernoff bound.
  double window = 0, seen = 0;
  for (const BinomialBlock& block : cut) {
    if (seen >= 1) break;
    seen += block.weight;
    window += block.last - block.first + 1;
  }
  const double below = 1 - 16 * kUnit * (window + 16) - 4 * std::exp(-kExponent);
  const double least = few == FewReports::destroyed ? kmin : 1;
  const double noise = few == FewReports::destroyed ? 1 : kmin;
  seen = 0;
  for (const BinomialBlock& block : cut) {
    const bool in_window = seen < 1;
    seen += block.weight;
    const double first = std::max(block.first + 1, least), last = block.last + 1;
    if (last < first) continue;
    Block entry{};
    entry.least_share = share(first);
    entry.most_share = share(last);
    entry.least_mu = mu / std::sqrt(std::max(last, noise));
    entry.most_mu = mu / std::sqrt(std::max(first, noise));
    entry.upper = block.weight;
    entry.lower = in_window && first == block.first + 1 ? std::max(0.0, block.weight * below) : 0;
    blocks_.push_back(entry);
  }
  std::sort(blocks_.begin(), blocks_.end(), [](const Block& x, const Block& y) { return x.upper > y.upper; });
  double rest = 0;
  for (std::size_t i = blocks_.size(); i-- > 0;) {
    Block& block = blocks_[i];
    block.rest = rest * (1 + 1e-12);
    rest += block.upper * gaussian_total_variation(block.most_mu);
  }
}

// own * sum over the blocks of probability * term(lambda, mu), term increasing in lambda and in mu and at
// most scale * f_mu(1).
template <typename Term>
Enclosure AggregatedGaussianCurve::mixture(double scale, const Term& term) const {
  double lower = 0, upper = 0, beyond = 0;
  for (const Block& block : blocks_) {
    const bool single = block.least_mu == block.most_mu && block.least_share == block.most_share;
    const Enclosure high = term(block.most_share, block.most_mu);
    upper += block.upper * high.upper;
    if (block.lower > 0) {
      lower += block.lower * (single ? high.lower : term(block.least_share, block.least_mu).lower);
    }
    if (scale * block.rest <= 1e-9 * upper) {
      beyond = scale * block.rest;
      break;
    }
  }
  const double top = own_ * (upper + beyond) * (1 + 1e-12);
  return {own_ * lower * (1 - 1e-12), top <= 1 ? top : 1};
}

Enclosure AggregatedGaussianCurve::delta(double epsilon) const {
  const double gain = std::expm1(epsilon);
  if (!(gain < std::numeric_limits<double>::max())) return {0, 1};
  return mixture(1, [gain](double share, double mu) {
    return aggregated_detail::gaussian_pair(mu, std::log1p(gain / share));
  });
}

Enclosure AggregatedGaussianCurve::reverse(double epsilon) const {
  const double loss = -std::expm1(-epsilon), grown = std::exp(epsilon);
  if (!(grown < std::numeric_limits<double>::max())) return {0, 1};
  return mixture(grown, [loss, grown](double share, double mu) {
    const double t = loss / share;
    if (!(t < 1)) return Enclosure{0, 0};
    const Enclosure pair = aggregated_detail::gaussian_pair(mu, -std::log1p(-t));
    const double factor = grown * (1 - t);
    return Enclosure{factor * pair.lower * (1 - 1e-9), factor * pair.upper * (1 + 1e-9)};
  });
}

AggregatedUnequalCurve::AggregatedUnequalCurve(double mu, double n, double lo, double hi, double kmin) {
  if (lo >= hi) {
    shares_.push_back({1, AggregatedGaussianCurve(mu, n, hi, kmin)});
    return;
  }
  for (const BinomialBlock& block : binomial_blocks(n - 1, lo / hi, kExponent, 0.25)) {
    if (block.weight < kImprobable) {
      improbable_ += block.weight;
    } else {
      shares_.push_back(
          {block.weight, AggregatedGaussianCurve(mu, block.first + 1, hi, kmin, FewReports::topped_up)});
    }
  }
}

Enclosure AggregatedUnequalCurve::delta(double epsilon) const {
  double lower = 0, upper = improbable_;
  for (const Share& share : shares_) {
    const Enclosure value = share.curve.delta(epsilon);
    lower += share.weight * value.lower;
    upper += share.weight * value.upper;
  }
  return {lower * (1 - 1e-6), std::min(1.0, upper * (1 + 1e-12))};
}

}  // namespace muster::accounting
