#include "muster/papers/renyi/binary_response_rdp.h"

#include <cmath>
#include <limits>
#include <vector>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargestSubset = 1e6;
constexpr long double kRelativeError = 2e-11L;

// Returns log((1+x)^p - 1 - p x) for x > -1; -infinity at x = 0.
long double log_excess(long double x, long double p) {
  if (std::fabs(p * x) + std::fabs(x) < 0.01L) {
    // The power series is p (p-1) / 2 x^2 (1 + (p-2) x / 3 (1 + (p-3) x / 4 (...))), in which the magnitudes
    // of (p-2) x / 3, (p-3) x / 4 and so on are below 0.01.
    long double tail = 1;
    for (int j = 12; j >= 3; --j) tail = 1 + (p - j + 1) * x / j * tail;
    return std::log(p * (p - 1) / 2) + 2 * std::log(std::fabs(x)) + std::log(tail);
  }
  const long double power = p * std::log1p(x);
  return power > 60 ? power + std::log1p(-(1 + p * x) * std::exp(-power))
                    : std::log(std::expm1(power) - p * x);
}

}  // namespace

numerics::Enclosure binary_response_rdp(Direction direction, double clients, double subset, double epsilon0,
                                        double order) {
  if (subset > kLargestSubset) return {0, kInfinity};
  const long double e = epsilon0, k = subset, l = order, p = direction == Direction::forward ? l : 1 - l;
  const long double q = 1 / (std::exp(e) + 1), scale = 2 * std::sinh(e) / clients;
  const long double log_odds = -e, log_none = -k * std::log1p(std::exp(-e));  // log_none = log((1-q)^k)
  const long double log_factorial = std::lgamma(k + 1);
  std::vector<long double> logs;
  long double highest = -kInfinity;
  for (long double i = 0; i <= k; ++i) {
    const long double log_mass =
        log_none + i * log_odds + log_factorial - std::lgamma(i + 1) - std::lgamma(k - i + 1);
    logs.push_back(log_mass + log_excess(scale * (i - k * q), p));
    highest = numerics::larger(highest, logs.back());
  }
  long double sum = 0;
  for (const long double term : logs) sum += std::exp(term - highest);
  const long double log_sum = highest + std::log(sum);
  const auto divergence = [&](long double factor) {
    const long double shifted = log_sum + std::log(factor);
    return static_cast<double>((shifted < 60 ? std::log1p(std::exp(shifted)) : shifted) / (l - 1));
  };
  return {divergence(1 - kRelativeError) * (1 - numerics::kEightRoundings),
          divergence(1 + kRelativeError) * (1 + numerics::kEightRoundings)};
}

}  // namespace muster::accounting
