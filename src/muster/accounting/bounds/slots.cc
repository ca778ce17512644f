#include "muster/accounting/bounds/slots.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "muster/core/error.h"

namespace muster::accounting {
namespace {

using numerics::AtomicLaw;

constexpr double kMostPerSlot = 300;    // a smaller mean count is a valid, larger, bound
constexpr double kLeastPerSlot = 1e-3;  // below, the weights are 1 but for a thousandth
constexpr std::size_t kMostAtoms = 64;  // of a sum's term: more are moved to the grid of the profile
constexpr double kSmallCharge = 0.05;   // of delta: a hundredth of epsilon or less

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

// The values kept of 1 / (1 + c): every one down to 1/9, then sparser; 0 is implicit.
std::vector<double> weight_nodes() {
  std::vector<double> nodes;
  for (double c = 0; c < 400; c += std::max(1.0, std::floor(c / 4))) nodes.push_back(1 / (1 + c));
  nodes.push_back(0);
  return nodes;
}

// Law of 1 / (1 + Poisson(mean)), each value split to its two neighbouring nodes with its mean kept: greater
// in convex order. Probabilities in extended precision, so that each is within an ulp.
void poisson_weights(double mean, std::vector<double>& values, std::vector<double>& probabilities) {
  const std::vector<double> nodes = weight_nodes();
  std::vector<long double> masses(nodes.size(), 0);
  long double left = 1, probability = std::exp(-static_cast<long double>(mean));
  for (int c = 0; c <= 8 * (kMostPerSlot + 20) && left > 1e-22L; ++c) {
    const long double weight = 1 / (1 + static_cast<long double>(c));
    std::size_t below = 0;
    while (below + 1 < nodes.size() && nodes[below] > static_cast<double>(weight)) ++below;
    if (below == 0) {
      masses[0] += probability;
    } else {
      const long double share = (weight - nodes[below]) / (nodes[below - 1] - nodes[below]);
      masses[below - 1] += std::max(0.0L, share) * probability;
      masses[below] += std::min(1.0L, 1 - share) * probability;
    }
    left -= probability;
    probability *= mean / static_cast<long double>(c + 1);
  }
  masses[0] += std::max(left, 0.0L);
  for (std::size_t i = nodes.size() - 2; i > 0; --i) {
    if (masses[i] < 1e-16L) {  // too small to keep: to the next larger weight
      masses[i - 1] += masses[i];
      masses[i] = 0;
    }
  }
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    if (masses[i] > 0) {
      values.push_back(nodes[i]);
      probabilities.push_back(static_cast<double>(masses[i]));
    }
  }
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

// Each atom of `law` moved to the two neighbouring points of `grid` (and 0), its mean kept: greater in convex
// order. The law lies between the grid's ends.
AtomicLaw spread(const AtomicLaw& law, const std::vector<double>& grid) {
  std::vector<double> nodes = grid;
  nodes.push_back(0);
  std::sort(nodes.begin(), nodes.end());
  std::vector<double> masses(nodes.size(), 0.0);
  for (std::size_t i = 0; i < law.points.size(); ++i) {
    const double point = law.points[i], mass = law.weights[i];
    const auto high =
        static_cast<std::size_t>(std::upper_bound(nodes.begin(), nodes.end(), point) - nodes.begin());
    if (high == 0 || high == nodes.size()) {  // an end itself
      masses[high == 0 ? 0 : high - 1] += mass;
      continue;
    }
    const double share = (point - nodes[high - 1]) / (nodes[high] - nodes[high - 1]);
    masses[high] += share * mass;
    masses[high - 1] += (1 - share) * mass;
  }
  AtomicLaw result;
  for (std::size_t i = 0; i < nodes.size(); ++i) result.add(nodes[i], masses[i]);
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

std::vector<std::string> slot_assumptions() {
  return {
      "each client checks in, independently of its data, at a uniform one of its own slots and sends at "
      "most one message a run",
      "an empty slot is filled by the same randomizer applied to a public record; which clients were "
      "selected is never visible"};
}

std::vector<std::string> counted_slot_assumptions() {
  std::vector<std::string> all = slot_assumptions();
  all.push_back(
      "the other clients are honest, check in secretly and independently at a uniform one of the same slots, "
      "and the server selects uniformly among those checked in");
  return all;
}

std::vector<std::string> averaged_slot_assumptions() {
  return {
      "all clients check in independently of their data with the same law of slots and send at most one "
      "message a run",
      "clients are honest and their choices secret; models depend on a slot's messages as a multiset"};
}

SlotCurve::SlotCurve(ReportingSum sum, double m, double p0)
    : sum_(std::move(sum)), shape_(slot_shape(m, p0)) {}

CountedSlotCurve::CountedSlotCurve(ReportingSum sum, double m, double p0, double others, double least)
    : sum_(std::move(sum)), shape_(slot_shape(m, p0)) {
  for (const double exponent : {2.0, 4.0, 6.0, 9.0, 12.0, 16.0, 20.0, 26.0, 34.0, 44.0, 56.0, 70.0}) {
    const double mean = std::min(kMostPerSlot, poisson_mean(others, exponent) * least / m * (1 - 1e-12));
    if (mean > kLeastPerSlot) {
      Level level{{}, {}, std::exp(-exponent)};
      poisson_weights(mean, level.weights, level.probabilities);
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
      const AtomicLaw all = products(law, level.weights, level.probabilities);
      return all.points.size() > kMostAtoms ? spread(all, law.points) : all;
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
