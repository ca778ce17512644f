#include "muster/theorems/aggregated/aggregated.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "muster/describe/gaussian_divergence.h"
#include "muster/numerics/binomial_blocks.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

using numerics::Enclosure;

using numerics::kUnitRoundoff;

constexpr double kExponent = 90;  // outside the window of k, Chernoff's bound on either tail is at most e^-90
// The relative width of a block, which is a range of consecutive k. Charging all k of a block at one of its
// ends raises the bound by about this fraction.
constexpr double kRelativeWidth = 5e-6;
// A block of values of N (AggregatedUnequalCurve) that is less likely than this is charged at delta = 1.
constexpr double kImprobable = 1e-36;
// Blocks whose ln mu_k is at most this many standard deviations from its mean go to Runs::bulk.
constexpr double kBulk = 4;
// The ranges of k that runs() makes are equally wide on the scale erfc(z / kSpread), where z is ln mu_k minus
// its mean, in standard deviations of ln mu_k. So they are narrower where most of the probability is.
constexpr double kSpread = 2;
// A block joins a range if its mu_k are within this fraction below the largest mu_k of the range.
constexpr double kNarrow = 1e-3;
constexpr double kRootTwoPi = 2.5066282746310002;

// The odds take at most seven roundings, `gain` two and their product one. These ten change the logarithm of
// 1 + odds * gain by at most ten roundings of itself. The logarithm takes two more, and its sum with epsilon
// one.
constexpr double kRoundingsOfLoss = 13;

double gaussian_total_variation(double mu) { return numerics::smaller(1.0, mu / kRootTwoPi); }

}  // namespace

AggregatedGaussianCurve::AggregatedGaussianCurve(double mu, double n, double g, double kmin, FewReports few)
    : AggregatedGaussianCurve(mu, n, g, g, kmin, few) {}

// The victim and exactly k - 1 others report with probability own Bin(n-1, g)(k - 1). Exactly k others
// report, and she does not, with probability (1 - own) Bin(n-1, g)(k).
AggregatedGaussianCurve::AggregatedGaussianCurve(double mu, double n, double own, double g, double kmin,
                                                 FewReports few)
    : own_(own) {
  // The odds against the victim being among k reports, (1 - lambda_k) / lambda_k.
  const auto odds = [=](double k) {
    return k >= n ? 0.0 : own == g ? (n - k) / k : (1 - own) * (n - k) * g / (own * k * (1 - g));
  };
  const double others = n - 1, sd = std::sqrt(others * g * (1 - g));
  const double fineness = sd > 0 ? kRelativeWidth * others * g / sd : 0;
  const std::vector<numerics::BinomialBlock> cut = numerics::binomial_blocks(others, g, kExponent, fineness);
  // The blocks of the window come first, and their weights sum to 1 up to rounding. Later blocks lie
  // outside the window, and their weights are Chernoff's bounds.
  //
  // A weight, lowered by the factor `below`, is a lower bound. The weight was raised by 8 (window + 7)
  // roundings, may be too large by another 6 window (binomial_blocks.cc), and is relative to the window's
  // probability, which is at least 1 - 2 e^-kExponent. `below` and the product with it take three more.
  // Together these are at most 14 window + 60 roundings.
  const double window = numerics::binomial_window(others, g, kExponent);
  const double below = 1 - 16 * kUnitRoundoff * (window + 16) - 4 * std::exp(-kExponent);
  const double least = few == FewReports::destroyed ? kmin : 1;
  const double noise = few == FewReports::destroyed ? 1 : kmin;
  double seen = 0;
  for (const numerics::BinomialBlock& block : cut) {
    const bool in_window = seen < 1;
    seen += block.weight;
    const double first = numerics::larger(block.first + 1, least), last = block.last + 1;
    if (last < first) continue;
    Block entry{};
    entry.min_odds = odds(last);
    entry.max_odds = odds(first);
    entry.min_mu = mu / std::sqrt(numerics::larger(last, noise));
    entry.max_mu = mu / std::sqrt(numerics::larger(first, noise));
    entry.upper = block.weight;
    entry.lower = in_window && first == block.first + 1 ? numerics::larger(0.0, block.weight * below) : 0;
    blocks_.push_back(entry);
  }
  std::sort(blocks_.begin(), blocks_.end(), [](const Block& x, const Block& y) { return x.upper > y.upper; });
  double rest = 0;
  for (std::size_t i = blocks_.size(); i-- > 0;) {
    Block& block = blocks_[i];
    block.rest = rest * (1 + numerics::kEightThousandRoundings);
    rest += block.upper * gaussian_total_variation(block.max_mu);
  }
}

AggregatedGaussianCurve AggregatedGaussianCurve::subset(double mu, double n, double k) {
  AggregatedGaussianCurve curve;
  curve.own_ = k / n;
  const double odds = (n - k) / k, sum_mu = mu / std::sqrt(k);
  curve.blocks_.push_back({odds, odds, sum_mu, sum_mu, 1, 1, 0});
  return curve;
}

// Encloses own * sum over the blocks of probability * term(odds, mu). The term must decrease in the odds,
// increase in mu and be at most f_mu(1).
template <typename Term>
Enclosure AggregatedGaussianCurve::mixture(const Term& term) const {
  double lower = 0, upper = 0, beyond = 0;
  for (const Block& block : blocks_) {
    const bool single = block.min_mu == block.max_mu && block.min_odds == block.max_odds;
    const Enclosure high = term(block.min_odds, block.max_mu);
    upper += block.upper * high.upper;
    if (block.lower > 0) {
      lower += block.lower * (single ? high.lower : term(block.max_odds, block.min_mu).lower);
    }
    if (block.rest <= 1e-9 * upper) {
      beyond = block.rest;
      break;
    }
  }
  return {numerics::as_lower_bound(own_ * lower * (1 - numerics::kEightThousandRoundings)),
          numerics::as_upper_bound(own_ * (upper + beyond) * (1 + numerics::kEightThousandRoundings))};
}

// With E = e^epsilon and odds = (1 - lambda)/lambda, the argument 1 + (E-1)/lambda of the profile is
// E (1 + odds (1 - 1/E)).
Enclosure AggregatedGaussianCurve::delta(double epsilon) const {
  const double gain = -std::expm1(-epsilon);
  return mixture([epsilon, gain](double odds, double mu) {
    return gaussian_divergence(mu, epsilon + std::log1p(odds * gain),
                               {.mu = kRoundingsOfMu, .log_alpha = kRoundingsOfLoss});
  });
}

// With c as in aggregated.h, c / lambda = 1 - odds (E-1), and E lambda / c is E divided by the same number.
// Nothing cancels where odds = 0, that is, where the victim certainly reported.
Enclosure AggregatedGaussianCurve::reverse(double epsilon) const {
  const double growth = std::expm1(epsilon);
  return mixture([epsilon, growth](double odds, double mu) {
    const double less = odds > 0 ? odds * growth : 0;
    // c / lambda = 1 - lost. log1p keeps the digits of `lost` however small it is; the logarithm of the
    // rounded difference would be 0 for a `lost` below 1e-16.
    const auto part = [&](double lost) {
      const double kept = 1 - lost;
      if (!(kept > 0)) return Enclosure{0, 0};
      const Enclosure pair = gaussian_divergence(mu, epsilon - std::log1p(-lost), {.mu = kRoundingsOfMu});
      return Enclosure{kept * pair.lower * (1 - numerics::kEightRoundings),
                       kept * pair.upper * (1 + numerics::kEightRoundings)};
    };
    // Where 1 - less is small, the rounding error of `less` matters, so `less` is rounded outward for either
    // end. The odds take at most seven roundings, `growth` two and their product one, and the product with
    // the factor takes one more.
    constexpr double kRoundingsOfLess = 12 * kUnitRoundoff;
    return Enclosure{part(less * (1 + kRoundingsOfLess)).lower, part(less * (1 - kRoundingsOfLess)).upper};
  });
}

AggregatedGaussianCurve::Runs AggregatedGaussianCurve::runs(std::size_t most) const {
  std::vector<Block> ordered = blocks_;
  std::ranges::sort(ordered, [](const Block& x, const Block& y) { return x.max_mu > y.max_mu; });
  double all = 0, mean = 0, variance = 0;
  for (const Block& block : ordered) {
    all += block.upper;
    mean += block.upper * std::log(block.max_mu);
  }
  mean /= all;
  for (const Block& block : ordered) {
    const double off = std::log(block.max_mu) - mean;
    variance += block.upper * off * off / all;
  }
  // The number of the range to which a block belongs (kSpread), or -1 if the block goes to Runs::rest.
  const auto place = [&](const Block& block) {
    const double z = variance > 0 ? (std::log(block.max_mu) - mean) / std::sqrt(variance) : 0;
    if (!(std::fabs(z) <= kBulk)) return -1.0;
    return std::floor(0.5 * std::erfc(z / kSpread) * static_cast<double>(most));
  };
  Runs runs;
  double last = -1, narrow = std::numeric_limits<double>::infinity();
  for (const Block& block : ordered) {
    const double weight = own_ * block.upper * (1 + numerics::kEightThousandRoundings);
    const double at = place(block);
    if (at < 0) {
      runs.rest.push_back({block.min_odds, block.max_mu, weight});
      continue;
    }
    if (runs.bulk.empty() || (at != last && block.min_mu < narrow)) {
      runs.bulk.push_back({block.min_odds, block.max_mu, 0});
      narrow = block.max_mu * (1 - kNarrow);
      last = at;
    }
    Run& run = runs.bulk.back();
    run.odds = numerics::smaller(run.odds, block.min_odds);
    run.weight += weight;
  }
  return runs;
}

AggregatedUnequalCurve::AggregatedUnequalCurve(double mu, double n, double lo, double hi, double kmin) {
  if (lo >= hi) {
    shares_.push_back({1, AggregatedGaussianCurve(mu, n, hi, kmin)});
    return;
  }
  // The curve falls with the number of clients, so lo / hi is rounded down. Where the rates are nearly
  // equal, the rounding error of lo / hi is not small beside 1 - lo / hi, so the direction matters.
  const double share = std::nextafter(lo / hi, 0.0);
  for (const numerics::BinomialBlock& block : numerics::binomial_blocks(n - 1, share, kExponent, 0.25)) {
    if (block.weight < kImprobable) {
      improbable_ += block.weight;
    } else {
      shares_.push_back(
          {block.weight, AggregatedGaussianCurve(mu, block.first + 1, hi, kmin, FewReports::topped_up)});
    }
  }
}

numerics::UpperAndEstimate AggregatedUnequalCurve::delta(double epsilon) const {
  double estimate = 0, upper = improbable_;
  for (const Share& share : shares_) {
    const Enclosure value = share.curve.delta(epsilon);
    estimate += share.weight * value.lower;
    upper += share.weight * value.upper;
  }
  return {.upper = numerics::as_upper_bound(upper * (1 + numerics::kEightThousandRoundings)),
          .estimate = numerics::as_lower_bound(estimate * (1 - numerics::kBlocksExceedOne))};
}

}  // namespace muster::accounting
