#include "muster/theorems/slots/slots.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <optional>
#include <utility>

#include "muster/core/error.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

// The mean of the Poisson number of others at a slot is at most this. A smaller mean gives a valid, larger
// bound.
constexpr double kMaxPerSlot = 1e6;
// Smaller means are not used, because the mean of the weights 1 / (1 + c) is then within a thousandth of 1.
constexpr double kMinPerSlot = 1e-3;
// Every level of CountedSlotCurve bounds delta by its sum plus a charge, which is Level::excess times the
// bound of slot_curve(). The search for a level goes on until a charge is at most this share of its sum.
// Such a charge changes epsilon by 1 % or less.
constexpr double kSmallCharge = 0.05;
// The relative precision of a search for a mean.
constexpr double kNearly = 1e-13;
// Masses below this share of their sum are not kept. Each is moved to the next larger weight.
constexpr long double kTooSmall = 1e-16L;

// Returns the logarithm of Chernoff's bound on P(Poisson(mean) >= count), for count >= mean.
double log_excess(double mean, double count) { return count - mean - count * std::log(count / mean); }

// Returns the largest mean for which Chernoff's bound shows P(Poisson(mean) > clients) <= e^-exponent, for
// exponent <= 70, rounded down.
//
// The caller lowers the mean by the share kEightThousandRoundings. With N = clients + 1 and L = log(N/mean),
// the left side of the comparison takes at most N (2 + 5 L) roundings: one of N by the difference and one
// by the quotient, three of N L by the logarithm and the product, and two of the result by the sums.
// kEightRoundings times N covers them up to L = 1.4. A larger L is below 72, and the mean below N / 4. There,
// lowering the mean lowers log_excess by 6,000 roundings of N and more.
double poisson_mean(double clients, double exponent) {
  double low = 0, high = clients + 1;
  for (int i = 0; i < 200 && high - low > kNearly * high; ++i) {
    const double middle = 0.5 * (low + high);
    const double rounding = numerics::kEightRoundings * (clients + 1);
    (log_excess(middle, clients + 1) + rounding <= -exponent ? low : high) = middle;
  }
  return low;
}

// Appends the law of 1 / (1 + max(c, first)) for c Poisson with the given mean. `first` is an integer such
// that c < first has probability at most e^-exponent, because P(c < mean - t) <= e^{-t^2/(2 mean)}. The
// result has atoms at 0 and at some of the values 1 / (1 + c), which differ by about a sixteenth from one to
// the next. The atom at 0 is not appended: in TermWeights, a weight is 0 with the remaining probability.
// Every other value is split between its two neighbouring atoms with its mean kept, so the result is larger
// in convex order. A recurrence from the mode in extended precision gives each probability within an ulp.
// Returns whether first > 0.
bool poisson_weights(double mean, double exponent, std::vector<double>& values,
                     std::vector<double>& probabilities) {
  const double first = numerics::larger(0.0, std::floor(mean - std::sqrt(2 * mean * exponent)));
  // P(c > last) is below e^-70.
  const double last = std::ceil(mean + 12 * std::sqrt(mean) + 60);
  std::vector<double> nodes;
  for (double c = first; c <= last; c += numerics::larger(1.0, std::floor(c / 16)))
    nodes.push_back(1 / (1 + c));
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
    const long double up = numerics::within(share, 0.0L, 1.0L);
    masses[below - 1] += up * probability;
    masses[below] += (1 - up) * probability;
  };
  const double mode = std::floor(mean);
  long double relative = 1;
  for (double c = mode; c <= last; ++c, relative *= mean / static_cast<long double>(c)) add(c, relative);
  relative = 1;
  for (double c = mode; c > 0 && relative > 0;) {
    relative *= static_cast<long double>(c) / mean;
    add(numerics::larger(--c, first), relative);
    if (c < first && relative < 1e-25L) {
      // Adds a bound of all remaining probabilities. They decrease faster than a geometric series, because
      // their ratios c / mean decrease with c.
      masses[0] += relative * mean / (static_cast<long double>(mean) - c);
      break;
    }
  }
  for (std::size_t i = nodes.size() - 2; i > 0; --i) {
    if (masses[i] < kTooSmall * total) {
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

// Returns the mean of (Z - k)_+ for a centred normal Z with this standard deviation.
double normal_excess(double deviation, double k) {
  const double z = k / deviation;
  return deviation * (std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi) -
                      z * 0.5 * std::erfc(z / std::numbers::sqrt2));
}

SumShape slot_shape(double m, double p0) {
  return {.factor = p0 / m, .count = m, .rate = 1, .threshold = m / p0};
}

}  // namespace

RoundShape slot_pair_shape(double m, double p0, double others, double rate) {
  const double share = rate / m, expected = (others + 1) * share;
  const double weight = -std::expm1((others + 1) * std::log1p(-share)) / expected;
  // The number of clients is rounded up, because a smaller probability of being picked gives a smaller curve.
  // Next to a zero of the curve, an error of one rounding could be all of its value.
  const double clients = m / (p0 * numerics::smaller(1.0, weight)) * (1 + 2 * numerics::kEightRoundings);
  return {.clients = clients, .count = m, .rate = 1};
}

SumCurve slot_curve(ReportingSum sum, double m, double p0) { return {std::move(sum), slot_shape(m, p0)}; }

CountedSlotCurve::CountedSlotCurve(ReportingSum sum, double m, double p0, double others, double min_rate)
    : sum_(std::move(sum)), shape_(slot_shape(m, p0)) {
  for (const double exponent : {2.0, 4.0, 6.0, 9.0, 12.0, 16.0, 20.0, 26.0, 34.0, 44.0, 56.0, 70.0}) {
    const double mean = numerics::smaller(
        kMaxPerSlot, poisson_mean(others, exponent) * min_rate / m * (1 - numerics::kEightThousandRoundings));
    if (mean > kMinPerSlot) {
      TermWeights weights;
      // `excess` bounds the probability that the Poisson total exceeds `others`, plus, where `first` of
      // poisson_weights() is positive, the probability that the Poisson number at some slot is below `first`.
      Level level{shape_, std::exp(-exponent), 0};
      if (poisson_weights(mean, exponent + std::log(m), weights.values, weights.probabilities))
        level.excess *= 2;
      for (std::size_t i = 0; i < weights.values.size(); ++i) {
        level.mean_square += weights.probabilities[i] * weights.values[i] * weights.values[i];
      }
      level.shape.weights = std::make_shared<const TermWeights>(std::move(weights));
      levels_.push_back(std::move(level));
    }
  }
}

numerics::UpperAndEstimate CountedSlotCurve::delta(double epsilon) const {
  const numerics::UpperAndEstimate plain = sum_.delta(shape_, epsilon);
  numerics::UpperAndEstimate best = plain;
  if (!(plain.upper > 0)) return best;
  if (levels_.empty()) return best;
  // Every level gives a valid bound: its sum plus the charge excess * plain. From level to level the sum
  // increases and the charge decreases.
  const auto charge = [&](std::size_t i) { return levels_[i].excess * plain.upper; };
  const auto first_small = [&](double sum) {
    std::size_t i = 0;
    while (i + 1 < levels_.size() && charge(i) > kSmallCharge * sum) ++i;
    return i;
  };
  std::vector<std::optional<double>> sums(levels_.size());  // of the levels tried
  const auto sum_at = [&](std::size_t i) {
    if (sums[i]) return *sums[i];
    const numerics::UpperAndEstimate sum = sum_.delta(levels_[i].shape, epsilon);
    const double upper = (sum.upper + charge(i)) * (1 + numerics::kEightRoundings);
    if (upper < best.upper) {
      best = {.upper = upper,
              .estimate = numerics::smaller(sum.estimate + levels_[i].excess * plain.estimate, upper)};
    }
    return *(sums[i] = sum.upper);
  };
  // The level tried first is the one that a normal approximation of the sum suggests. From there the search
  // goes to the level that the computed sum suggests, and on to later ones until the charge is small.
  const double deviation =
      std::sqrt(shape_.count * levels_.front().mean_square * sum_.variance_of_term(shape_, epsilon));
  const std::size_t begin = first_small(shape_.factor * std::exp(epsilon) *
                                        normal_excess(deviation, shape_.threshold * -std::expm1(-epsilon)));
  std::size_t last = first_small(sum_at(begin));
  for (std::size_t next = first_small(sum_at(last)); next > last; next = first_small(sum_at(last)))
    last = next;
  // No later level is better by more than the share kSmallCharge. An earlier one, whose sum is smaller, may
  // be far better, unless its charge alone is as large as the best bound. So the result is at most 1 +
  // kSmallCharge times the least of all levels, which falls as epsilon grows.
  while (last > 0 && charge(last - 1) < best.upper) sum_at(--last);
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
