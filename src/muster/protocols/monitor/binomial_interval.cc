#include "muster/protocols/monitor/binomial_interval.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>

namespace muster::protocols {
namespace {

using Binomial = boost::math::binomial_distribution<double>;

// If both successes and failures exceed this number, the incomplete beta function needs too many terms, and
// Chernoff's bound is used instead.
constexpr double kExactUpTo = 1e10;

bool exact(double trials, double successes) { return std::min(successes, trials - successes) <= kExactUpTo; }

// Returns trials * KL(successes/trials || p), where KL is the Kullback-Leibler divergence and 0 log 0 = 0.
// The result is accurate even if successes/trials is near p.
double divergence(double trials, double successes, double p) {
  const auto part = [](double count, double expected) {
    return count > 0 ? count * std::log1p((count - expected) / expected) : 0.0;
  };
  const double d = part(successes, trials * p) + part(trials - successes, trials * (1 - p));
  return std::max(d, 0.0);
}

// For a binomial X, upper_tail returns an upper bound on P(X >= count), and lower_tail one on P(X <= count).
double upper_tail(double trials, double p, double count) {
  if (count <= 0 || p == 1) {
    return 1;
  }
  if (count > trials || p == 0) {
    return 0;
  }
  if (exact(trials, trials * p)) {
    return boost::math::cdf(complement(Binomial(trials, p), count - 1));
  }
  return count <= trials * p ? 1 : std::exp(-divergence(trials, count, p));
}

double lower_tail(double trials, double p, double count) {
  if (count >= trials || p == 0) {
    return 1;
  }
  if (count < 0 || p == 1) {
    return 0;
  }
  if (exact(trials, trials * p)) {
    return boost::math::cdf(Binomial(trials, p), count);
  }
  return count >= trials * p ? 1 : std::exp(-divergence(trials, count, p));
}

// Returns the last integer, as a double, on the way from `good` to `bad` at which `holds` is true. On this
// way, `holds` must change exactly once, from true to false.
template <typename Holds>
double last_whole(double good, double bad, const Holds& holds) {
  while (std::fabs(bad - good) > 1) {
    const double middle = std::floor((good + bad) / 2);
    if (middle == good || middle == bad) {
      // `good` and `bad` are neighbouring doubles.
      break;
    }
    (holds(middle) ? good : bad) = middle;
  }
  return good;
}

// Returns the first point on the way from `good` to `bad` at which `holds` is false, up to rounding.
template <typename Holds>
double first_failure(double good, double bad, const Holds& holds) {
  for (int step = 0; step < 200 && std::nextafter(good, bad) != bad; ++step) {
    const double middle = good + (bad - good) / 2;
    (holds(middle) ? good : bad) = middle;
  }
  return bad;
}

std::uint64_t count_of(double value) {
  constexpr double kMaxCount = 18446744073709549568.0;  // the largest double below 2^64
  return static_cast<std::uint64_t>(std::clamp(value, 0.0, kMaxCount));
}

}  // namespace

CountBand binomial_band(double trials, double min_p, double max_p, double side) {
  const double high =
      last_whole(trials, -1, [&](double h) { return upper_tail(trials, max_p, h + 1) <= side; });
  const double low =
      last_whole(0, trials + 1, [&](double l) { return lower_tail(trials, min_p, l - 1) <= side; });
  return {count_of(low), count_of(high)};
}

RateInterval clopper_pearson(double trials, std::uint64_t successes, double side) {
  const auto count = static_cast<double>(successes);
  const double seen = count / trials;
  RateInterval interval{0, 1};
  if (exact(trials, count)) {
    if (count > 0) {
      interval.low = Binomial::find_lower_bound_on_p(trials, count, side);
    }
    if (count < trials) {
      interval.high = Binomial::find_upper_bound_on_p(trials, count, side);
    }
    return interval;
  }
  const auto explains = [&](double p) { return std::exp(-divergence(trials, count, p)) >= side; };
  return {first_failure(seen, 0, explains), first_failure(seen, 1, explains)};
}

}  // namespace muster::protocols
