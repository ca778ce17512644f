#include "muster/theorems/everyone/pool_weights.h"

#include <cmath>
#include <limits>
#include <vector>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// This factor covers the round-off of every root found here.
constexpr double kOutward = 1 + numerics::kEightMillionRoundings;

// The failure probability is divided among the events in which the bound may not hold. These are their
// shares.
constexpr double kHiddenShare = 0.25;  // the hidden message falls into T, where there are no clones
// Each of these two events has this share at rate 1: there are too few clones, or too many. Below rate 1,
// these two events and the event of too few absent clients have two thirds of this share each.
constexpr double kCountShare = 0.15;
constexpr double kJumpShare = 0.05;  // the hidden message's ratio is too large for some client
// Each of these two events has this share: the mean of the clones' ratios is too large for some client, or
// too small.
constexpr double kRiseShare = 0.125;

double upper_normal(double x) { return 0.5 * std::erfc(x * std::sqrt(0.5)); }

// Returns a z >= 0 with P(Z > z) <= p for a standard normal Z.
double normal_quantile(double p) {
  double low = 0;
  double high = 38;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (upper_normal(middle) > p ? low : high) = middle;
  }
  return high * kOutward;
}

// Returns trials * KL(a || p), the exponent of Chernoff's bound for binomial frequencies beyond a.
double divergence(double trials, double a, double p) {
  const double up = a > 0 ? a * std::log(a / p) : 0;
  const double down = a < 1 ? (1 - a) * (std::log1p(-a) - std::log1p(-p)) : 0;
  return trials * (up + down);
}

// By Chernoff's bound, too_few() returns an x with P(Bin(trials, p) < x) <= e^-log_odds, and too_many() an x
// with P(Bin(trials, p) > x) <= e^-log_odds.
double too_few(double trials, double p, double log_odds) {
  if (p >= 1) {
    return trials;
  }
  double low = 0;
  double high = p;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (divergence(trials, middle, p) > log_odds ? low : high) = middle;
  }
  return trials * low;
}

double too_many(double trials, double p, double log_odds) {
  double low = p;
  double high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (divergence(trials, middle, p) > log_odds ? high : low) = middle;
  }
  return trials * high;
}

// Returns knots of r - 1 for CenteredLognormal, at r = e^{-deviation x} and r = e^{deviation x} with x from
// 0 to about 16.
std::vector<double> knots_of(double deviation) {
  std::vector<double> knots{0};
  for (double x = 0; x < 16;) {
    x += numerics::larger(1.0, x / 3) / 12;
    knots.push_back(std::expm1(deviation * x));
    knots.insert(knots.begin(), std::expm1(-deviation * x));
  }
  return knots;
}

}  // namespace

PoolWeights::PoolWeights(double radius, double rate)
    : radius_(radius), rate_(rate), centre_(radius, knots_of(radius)) {}

// Returns e with P( mean of `clones` independent ratios > 1 + e ) <= probability. With N = clones, r one of
// the ratios and any h, for every c > 0,
//     P <= e^{-c N (1+e)} (E e^{c min(r, h)})^N + c N E(r - h)_+   (docs/theory/star-with-a-pool.md, part D).
double PoolWeights::upper_deviation(double clones, double probability) const {
  const double log_odds = std::log(2 / probability);
  const double variance = std::expm1(radius_ * radius_);
  const double start = std::sqrt(2 * log_odds / (clones * variance));
  double best = kInfinity;
  for (double c = start; c > 0.2 * start; c *= 0.85) {
    const CenteredLognormal::Cut cut = centre_.above(probability / (2 * c * clones));
    if (cut.excess_right * c * clones * 2 <= probability) {
      const double e = (cut.law.log_mgf(c) + log_odds / clones) / c;
      if (e > best) {
        break;
      }
      best = e;
    }
  }
  return best * kOutward;
}

// Returns e with P( mean of `clones` independent ratios < 1 - e ) <= probability, by Chernoff's bound at -c,
// c > 0. For a ratio r below the lowest knot, e^{-c r} <= e^{-c knot} + c (knot - r).
double PoolWeights::lower_deviation(double clones, double probability) const {
  const double log_odds = std::log(1 / probability);
  const double variance = std::expm1(radius_ * radius_);
  const double start = 1.2 * std::sqrt(2 * log_odds / (clones * variance));
  const CenteredLognormal::Cut cut = centre_.above(1e-25);
  double best = kInfinity;
  for (double c = numerics::smaller(start, 100.0); c > 0.3 * numerics::smaller(start, 100.0); c *= 0.85) {
    const double log_mgf = std::log1p(std::expm1(cut.law.log_mgf(-c)) + c * std::exp(c) * cut.excess_left);
    const double e = (log_mgf + log_odds / clones) / c;
    if (e > best) {
      break;
    }
    best = e;
  }
  return best * kOutward;
}

double PoolWeights::ratio(double pool, double remaining, double failure) const {
  const double radius = radius_;
  const double share = rate_ < 1 ? kCountShare / 1.5 : kCountShare;
  const double q = 1.5 * radius * radius + radius * normal_quantile(kHiddenShare * failure / pool);
  // This bounds the mass that the centre's law has in T. Clones have no messages there.
  const double cut_away = pool * upper_normal((q / kOutward - 0.5 * radius * radius) / radius);
  if (!(cut_away < 0.5)) {
    return kInfinity;
  }
  const double log_odds = -std::log(share * failure);
  const double fewest = std::ceil(too_few(pool, rate_ * std::exp(-q) * (1 - cut_away) / kOutward, log_odds));
  const double most =
      std::floor(too_many(pool, numerics::smaller(1.0, rate_ * std::exp(-q) * kOutward), log_odds)) + 1;
  const double absent = rate_ < 1 ? std::ceil(too_few(pool, 1 - rate_, log_odds)) : 0;
  if (fewest < 2) {
    return kInfinity;
  }
  const double jump =
      std::exp(0.5 * radius * radius + radius * normal_quantile(kJumpShare * failure / remaining));
  // The present clones have the centre's law conditioned on lying outside T. This condition raises the
  // probability of an event by at most the factor 1 / given.
  const double given = std::exp(most * std::log1p(-cut_away));
  const double each = kRiseShare * failure / remaining * given;
  const double rise = upper_deviation(fewest, each);
  const double fall = lower_deviation(fewest, each);
  if (!(fall < 1) || !std::isfinite(rise)) {
    return kInfinity;
  }
  double worst = 0;
  // The bound is a Moebius function of the number of clones, so its maximum is at one end of their range.
  for (const double clones : {fewest, most}) {
    worst = numerics::larger(worst,
                             (clones * (rise + fall) + jump) / (absent * std::exp(-q) + clones * (1 - fall)));
  }
  return (1 + worst) * kOutward;
}

}  // namespace muster::accounting
