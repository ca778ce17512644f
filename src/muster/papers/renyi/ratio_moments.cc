#include "muster/papers/renyi/ratio_moments.h"

#include <cmath>
#include <limits>

namespace muster::accounting {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Returns log(e^x - 1) for x > 0.
double log_expm1(double x) { return x > 40 ? x : std::log(std::expm1(x)); }
// Returns log(1 - e^-x) for x > 0.
double log_1m_exp(double x) { return x > 40 ? 0 : std::log(-std::expm1(-x)); }

}  // namespace

RatioMoments::RatioMoments(Kind kind, double parameter, double log_rate)
    : kind_(kind), parameter_(parameter), log_rate_(log_rate) {}

RatioMoments RatioMoments::gaussian(double t, double rate) { return {Kind::gaussian, t * t, std::log(rate)}; }

RatioMoments RatioMoments::binary_response(double epsilon0, double rate) {
  return {Kind::binary, epsilon0, std::log(rate)};
}

RatioMoments RatioMoments::k_randomized_response(double epsilon0, double k, double rate) {
  const double grown = std::exp(epsilon0);
  return {Kind::binary, epsilon0, std::log(rate * (grown + 1) / (grown + k - 1))};
}

double RatioMoments::log_excess(std::uint64_t order) const {
  if (order < 2) return -kInfinity;
  const double j = static_cast<double>(order), p = parameter_;
  if (kind_ == Kind::gaussian) return log_rate_ + log_expm1(p * (j * (j - 1) / 2));
  // For binary response, mu_j - 1 = rate (e^{e0 j} - e^{e0}) (1 - e^{-e0 j}) / (e^{e0} + 1).
  return log_rate_ + log_expm1(p * (j - 1)) + log_1m_exp(p * j) - std::log1p(std::exp(-p));
}

double RatioMoments::log_step(std::uint64_t order) const {
  if (order < 2) return -kInfinity;
  const double j = static_cast<double>(order), p = parameter_;
  if (kind_ == Kind::gaussian) return log_rate_ + p * ((j - 1) * (j - 2) / 2) + log_expm1(p * (j - 1));
  // Here mu_j - mu_{j-1} = rate (e^{e0} - 1) (e^{e0 (j-1)} - e^{e0 (1-j)}) / (e^{e0} + 1).
  return log_rate_ + std::log(std::tanh(p / 2)) + p * (j - 1) + log_1m_exp(2 * p * (j - 1));
}

double RatioMoments::log_moment(std::uint64_t order) const {
  const double excess = log_excess(order);
  return excess > 40 ? excess + std::exp(-excess) : std::log1p(std::exp(excess));
}

double RatioMoments::reach(std::uint64_t order) const {
  const double j = static_cast<double>(order);
  return (kind_ == Kind::gaussian ? parameter_ * j * j / 2 : parameter_ * j) +
         (std::fabs(log_rate_) + std::fabs(std::log(parameter_)) + 4) * j;
}

}  // namespace muster::accounting
