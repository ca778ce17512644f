#include "muster/plan/calibration/rough_epsilon.h"

#include <algorithm>
#include <cmath>

#include "muster/plan/randomizer_table.h"

namespace muster::protocols {
namespace {

// The probability that a client reports, divided by the number of clients or slots that hide the report.
double exposure(const Plan& plan) {
  const double n = static_cast<double>(plan.clients);
  const double rate = plan.rate * (1 - plan.dropout.at(1));
  switch (plan.protocol) {
    case Protocol::shuffle:
      return 1 / n;
    case Protocol::subset:
      return static_cast<double>(plan.subset) / n / n;
    case Protocol::random_check_in_fixed:
    case Protocol::random_check_in_sliding:
      return rate * rate / static_cast<double>(plan.slots);
    default:
      return rate / n;
  }
}

// The logarithm of Phi(-x), also for large x.
double log_upper_tail(double x) {
  return x < 30 ? std::log(0.5 * std::erfc(x / std::sqrt(2.0)))
                : -x * x / 2 - std::log(x * 2.5066282746310002);
}

// The logarithm of delta for Gaussian noise whose sensitivity divided by its deviation is mu.
double log_delta(double mu, double epsilon) {
  const double first = log_upper_tail(epsilon / mu - mu / 2);
  const double second = epsilon + log_upper_tail(epsilon / mu + mu / 2);
  return first + std::log(std::max(-std::expm1(std::min(second - first, 0.0)), 1e-300));
}

}  // namespace

double rough_epsilon(const Plan& plan, double delta) {
  const double rounds = std::max(static_cast<double>(plan.rounds), 1.0);
  const double mu = std::clamp(
      std::sqrt(rounds * exposure(plan) * spec_of(plan.randomizer).likelihood_variance(plan)), 1e-12, 1e3);
  double low = 1e-14, high = 1e7;
  while (high > low * 1.0001) {
    const double middle = std::sqrt(low * high);
    (log_delta(mu, middle) > std::log(delta) ? low : high) = middle;
  }
  return high;
}

}  // namespace muster::protocols
