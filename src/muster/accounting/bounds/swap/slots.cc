#include "muster/accounting/bounds/swap/slots.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "muster/core/error.h"

namespace muster::accounting {
namespace {

using numerics::AtomicLaw;

constexpr double kMostPerSlot = 1e6;     // a smaller mean count is a valid, larger, bound
constexpr double kLeastPerSlot = 1e-3;   // below, the weights are 1 but for a thousandth
constexpr std::size_t kMostAtoms = 64;   // of a sum's term: more are thinned out
constexpr double kAddedVariance = 1e-7;  // of one gap between atoms, relative
constexpr double kSmallCharge = 0.05;    // of delta: a hundredth of epsilon or less

// log of Chernoff's bound on P(Poisson(mean) >= count), count >= mean.
double log_excess(double mean, double count) { return count - mean - count * std::log(count / mean); }

// The largest mean with P(Poisson > clients) <= e^-exponent, rounded down.
double poisson_mean(double clients, double exponent) {
  double low = 0, high = clients + 1;
  for (int i = 0; i < 200 && high - low > 1e-13 * high; ++i) {
    const double middle = 0.5 * (low + high);
    // Outward: the three terms cancel.
    (log_excess(middle, clients + 1) + 1e-15 * (clients + 1) <= -exponent ? low : high) = middle;
  }
  return low;
}

// Law of 1 / (1 + max(c, first)), c Poisson, first the integer that c passes below with probability at most
// e^-exponent (by e^{-t^2 / (2 mean)}). Each value is split to its two neighbours among some 1 / (1 + c)
// about a sixteenth apart, and 0, its mean kept: greater in convex order. Extended precision and a recurrence
// from the mode, so that each probability is within an ulp.
bool poisson_weights(double mean, double exponent, std::vector<double>& values,
                     std::vector<double>& probabilities) {
  const double first = std::max(0.0, std::floor(mean - std::sqrt(2 * mean * exponent)));
  const double last = std::ceil(mean + 12 * std::sqrt(mean) + 60);  // leaves out less than e^-70 above
  std::vector<double> nodes;
  for (double c = first; c <= last; c += std::max(1.0, std::floor(c / 16))) nodes.push_back(1 / (1 + c));
  nodes.push_back(0);
  std::vector<long double> masses(nodes.size(), 0);
  long double total = 0;
  const auto add = [&](double c, long double probability) {
    const long double weight = 1 / (1 + static_cast<long double>(c));
    const auto below = static_cast<std::size_t>(
        std::lower_bound(nodes.begin(), nodes.end(), static_cast<double>(weight), std::greater<>()) -
        nodes.begin());
    total += probability;
    if (below == 0) {
      masses[0] += probability;
      return;
    }
    const long double share = (weight - nodes[below]) / (nodes[below - 1] - nodes[below]);
    const long double up = std::clamp(share, 0.0L, 1.0L);
    masses[below - 1] += up * probability;
    masses[below] += (1 - up) * probability;
  };
  const double mode = std::floor(mean);
  long double relative = 1;
  for (double c = mode; c <= last; ++c, relative *= mean / static_cast<long double>(c)) add(c, relative);
  relative = 1;
  for (double c = mode; c > 0 && relative > 0;) {
    relative *= static_cast<long double>(c) / mean;
    add(std::max(--c, first), relative);
    if (c < first && relative < 1e-25L) {
      // All that is left: the ratios c / mean go on falling.
      masses[0] += relative * mean / (static_cast<long double>(mean) - c);
      break;
    }
  }
  for (std::size_t i = nodes.size() - 2; i > 0; --i) {
    if (masses[i] < 1e-16L * total) {  // too small to keep: to the next larger weight
      masses[i - 1] += masses[i];
      masses[i] = 0;
    }
  }
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    if (masses[i] > 0) {
      values.push_back(nodes[i]);
      probabilities.push_back(static_cast<double>(masses[i] / total));
    }
  }
  return first > 0;
}

// The law of w Y, w of the given law and independent of Y.
AtomicLaw products(const AtomicLaw& law, const std::vector<double>& weights,
                   const std::vector<double>& probabilities) {
  AtomicLaw result;
  for (std::size_t w = 0; w < weights.size(); ++w) {
    for (std::size_t i = 0; i < law.points.size(); ++i) {
      result.add(weights[w] * law.points[i], probabilities[w] * law.weights[i]);
    }
  }
  return result;
}

// Atoms thinned out: the ones between two kept neighbours (and 0) move to these with their mean kept, so the
// law becomes greater in convex order. A gap is at most 4 % of its distance from 0 plus a deviation, and adds
// at most kAddedVariance of the variance.
AtomicLaw thinned(const AtomicLaw& law) {
  std::vector<std::size_t> order(law.points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return law.points[i] < law.points[j]; });
  const double deviation = std::sqrt(law.variance());
  const double most_added = kAddedVariance * law.variance();
  AtomicLaw result;
  double low = law.points[order.front()], mass_at_low = 0;  // the last kept point and what has moved to it
  std::size_t i = 0;
  while (i < order.size()) {
    // The widest gap (low, high] that keeps both rules.
    double mass = 0, high = low;
    std::size_t next = i;
    for (; next < order.size(); ++next) {
      const double point = law.points[order[next]], gap = point - low;
      const bool over_zero = low < 0 && point > 0;
      if (next > i && (over_zero || gap > 0.04 * (std::min(std::fabs(low), std::fabs(point)) + deviation) ||
                       mass * gap * gap > 4 * most_added)) {
        break;
      }
      mass += law.weights[order[next]];
      high = point;
    }
    double mass_at_high = 0;
    for (; i < next; ++i) {
      const double point = law.points[order[i]], weight = law.weights[order[i]];
      const double share = high > low ? (point - low) / (high - low) : 1;
      mass_at_high += share * weight;
      mass_at_low += (1 - share) * weight;
    }
    if (high > low) {
      result.add(low, mass_at_low);
      low = high;
      mass_at_low = 0;
    }
    mass_at_low += mass_at_high;
  }
  result.add(low, mass_at_low);
  return result;
}

SumShape slot_shape(double m, double p0) {
  return {.factor = p0 / m, .count = m, .rate = 1, .strike = m / p0};
}

}  // namespace

HomogeneousShape slot_pair_shape(double m, double p0, double others, double rate) {
  const double share = rate / m, expected = (others + 1) * share;
  const double weight = -std::expm1((others + 1) * std::log1p(-share)) / expected;
  return {.clients = m / (p0 * std::min(1.0, weight)), .count = m, .rate = 1};
}

SlotCurve::SlotCurve(ReportingSum sum, double m, double p0)
    : sum_(std::move(sum)), shape_(slot_shape(m, p0)) {}

CountedSlotCurve::CountedSlotCurve(ReportingSum sum, double m, double p0, double others, double least)
    : sum_(std::move(sum)), shape_(slot_shape(m, p0)) {
  for (const double exponent : {2.0, 4.0, 6.0, 9.0, 12.0, 16.0, 20.0, 26.0, 34.0, 44.0, 56.0, 70.0}) {
    const double mean = std::min(kMostPerSlot, poisson_mean(others, exponent) * least / m * (1 - 1e-12));
    if (mean > kLeastPerSlot) {
      Level level{{}, {}, std::exp(-exponent)};  // more clients than there are
      // ... or some slot with fewer of them than the weights allow for.
      if (poisson_weights(mean, exponent + std::log(m), level.weights, level.probabilities))
        level.excess *= 2;
      levels_.push_back(std::move(level));
    }
  }
}

numerics::Enclosure CountedSlotCurve::delta(double epsilon) const {
  const numerics::Enclosure plain = sum_.delta(shape_, epsilon);
  numerics::Enclosure best = plain;
  if (!(plain.upper > 0)) return best;
  // Every level is a valid bound: its sum grows, and its charge excess * plain falls, from level to level.
  // The first whose charge is small against its own sum is close to the best.
  for (std::size_t i = 0; i < levels_.size();) {
    const Level& level = levels_[i];
    const auto weigh = [&level](const AtomicLaw& law) {
      const bool many = law.points.size() > kMostAtoms;
      const AtomicLaw all = products(many ? thinned(law) : law, level.weights, level.probabilities);
      return all.points.size() > kMostAtoms ? thinned(all) : all;
    };
    const numerics::Enclosure sum = sum_.delta(shape_, epsilon, weigh);
    const double charge = level.excess * plain.upper, upper = (sum.upper + charge) * (1 + 1e-15);
    if (upper < best.upper) best = {std::min(sum.lower + level.excess * plain.lower, upper), upper};
    if (charge <= kSmallCharge * sum.upper) break;
    // A later sum is not smaller, so this charge is the one to aim at.
    for (++i; i + 1 < levels_.size() && levels_[i].excess * plain.upper > kSmallCharge * sum.upper;) ++i;
  }
  return best;
}

UnequalRatesCurve averaged_slots(ReportingSum sum, double n, double lo, double hi) {
  if (!(hi < 1)) {
    throw Error(ErrorCode::uncovered, "participation.rate", "1", "a rate below 1: 1 - 50/n is enough",
                "no theorem covers averaged updates when every client checks in");
  }
  return UnequalRatesCurve(std::move(sum), n, lo, hi);
}

}  // namespace muster::accounting
