#include "muster/plan/calibration/rough_epsilon.h"

#include <algorithm>
#include <cmath>

#include "muster/plan/randomizer_table.h"

namespace muster::protocols {
namespace {

// Returns the factor that turns the randomizer's likelihood_variance into the variance of the privacy loss of
// one round. It is the probability that a client reports in the round, divided by the number of clients. In
// random-check-in-fixed and -sliding, it is the squared probability that a client checks in during a run,
// divided by the number of slots.
double exposure(const PlanValues& values) {
  const double n = static_cast<double>(values.clients);
  const double rate = values.rate * (1 - values.dropout.at(1));
  switch (values.protocol) {
    case Protocol::shuffle:
      return 1 / n;
    case Protocol::subset:
      return static_cast<double>(values.subset) / n / n;
    case Protocol::random_check_in_fixed:
    case Protocol::random_check_in_sliding:
      return rate * rate / static_cast<double>(values.slots);
    default:
      return rate / n;
  }
}

// Returns log Phi(-x), where Phi is the standard normal distribution function. The result stays finite for
// large x, where Phi(-x) is 0 in floating point.
double log_upper_tail(double x) {
  return x < 30 ? std::log(0.5 * std::erfc(x / std::sqrt(2.0)))
                : -x * x / 2 - std::log(x * 2.5066282746310002);
}

// Returns the logarithm of delta at `epsilon` for the Gaussian mechanism whose ratio of sensitivity to
// standard deviation is mu.
double log_delta(double mu, double epsilon) {
  const double first = log_upper_tail(epsilon / mu - mu / 2);
  const double second = epsilon + log_upper_tail(epsilon / mu + mu / 2);
  return first + std::log(std::max(-std::expm1(std::min(second - first, 0.0)), 1e-300));
}

}  // namespace

double rough_epsilon(const PlanValues& values, double delta) {
  const double rounds = std::max(static_cast<double>(values.rounds), 1.0);
  const double mu = std::clamp(
      std::sqrt(rounds * exposure(values) * spec_of(values.randomizer).likelihood_variance(values)), 1e-12,
      1e3);
  double low = 1e-14, high = 1e7;
  while (high > low * 1.0001) {
    const double middle = std::sqrt(low * high);
    (log_delta(mu, middle) > std::log(delta) ? low : high) = middle;
  }
  return high;
}

double rough_root(PlanValues values, const Parameter& parameter, double delta, double rough_target) {
  double low = std::log(parameter.min), high = std::log(parameter.max);
  for (int i = 0; i < 40; ++i) {
    const double middle = low + (high - low) / 2;
    set_parameter(values, parameter.knob, std::max(std::exp(middle), parameter.whole ? 1.0 : 0.0));
    const bool within = rough_epsilon(values, delta) <= rough_target;
    (within == parameter.rises ? low : high) = middle;
  }
  return std::exp(low);
}

double rough_slope(PlanValues values, const Parameter& parameter, double delta, double value) {
  constexpr double kApart = 1.2;
  set_parameter(values, parameter.knob, value);
  const double here = rough_epsilon(values, delta);
  set_parameter(values, parameter.knob, parameter.whole ? std::floor(value * kApart + 1) : value * kApart);
  const double slope = std::fabs(std::log(rough_epsilon(values, delta) / here)) / std::log(kApart);
  return std::clamp(slope, 0.1, 10.0);
}

}  // namespace muster::protocols
