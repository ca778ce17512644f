#include "muster/papers/renyi/homogeneous_rdp.h"

#include <bit>
#include <cmath>
#include <limits>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

using numerics::Scaled;
using numerics::scaled;
using numerics::ScaledSeries;

using numerics::kUnitRoundoff;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargestLog = 1e8;  // a limit on logarithms that keeps exponents far inside 32 bits

// Returns the power series of e^{m x} up to x^order.
ScaledSeries exponential(double m, std::uint64_t order) {
  ScaledSeries series;
  Scaled term = scaled(1);
  for (std::uint64_t i = 0; i <= order; ++i) {
    series.push_back(term);
    term = scaled(term.mantissa * m / static_cast<double>(i + 1), term.exponent);
  }
  return series;
}

// Returns the product of two series up to x^order.
ScaledSeries product(const ScaledSeries& a, const ScaledSeries& b, std::uint64_t order) {
  ScaledSeries series;
  for (std::uint64_t l = 0; l <= order; ++l) series.push_back(convolution(a, b, l, 0, l));
  return series;
}

ScaledSeries sum(const ScaledSeries& a, const ScaledSeries& b, int times_a) {
  ScaledSeries series;
  for (std::size_t i = 0; i < a.size(); ++i) series.push_back(a[i] * scaled(times_a) + b[i]);
  return series;
}

}  // namespace

HomogeneousRdp::HomogeneousRdp(double clients, double terms, RatioMoments moments)
    : clients_(clients),
      terms_(terms),
      moments_(moments),
      inverse_power_(scaled(1)),
      inverse_factorial_(scaled(1)) {}

HomogeneousRdp HomogeneousRdp::plain(double clients, RatioMoments one_report) {
  return {clients, clients, one_report};
}
HomogeneousRdp HomogeneousRdp::subset(double clients, double subset, RatioMoments one_report) {
  return {clients, subset, one_report};
}
HomogeneousRdp HomogeneousRdp::check_in(double clients, RatioMoments one_report) {
  return {clients, clients, one_report};
}

bool HomogeneousRdp::in_range(std::uint64_t order) const {
  const double smallest = moments_.log_excess(2) - 2 * std::log(clients_);
  const bool recurrence = static_cast<double>(order) <= terms_ + 1;
  return order <= (recurrence ? kHighestOrder : kHighestDoubledOrder) &&
         moments_.reach(order) < kLargestLog && smallest > -600;
}

void HomogeneousRdp::extend_coefficients(std::uint64_t order) {
  for (std::uint64_t j = weight_.size(); j <= order; ++j) {
    const double jj = static_cast<double>(j);
    const double log_moment = moments_.log_moment(j);
    // `fall` is 1 - mu_{j-1} / mu_j, computed without that difference. `kept` is mu_{j-1} / mu_j.
    const double fall = numerics::smaller(1.0, std::exp(moments_.log_step(j) - log_moment));
    const double kept = j < 2 ? 1 : std::exp(moments_.log_moment(j - 1) - log_moment);
    weight_.push_back(numerics::scaled_exp(log_moment) * inverse_power_);
    bracket_.push_back((terms_ + 1) * jj + (clients_ - terms_) * jj * kept);
    source_.push_back(terms_ * jj * fall);
    inverse_power_ = scaled(inverse_power_.mantissa / clients_ / (jj + 1), inverse_power_.exponent);
  }
}

void HomogeneousRdp::recur(std::uint64_t order) {
  extend_coefficients(order);
  for (std::uint64_t l = excess_.size(); l <= order; ++l) {
    Scaled excess{};
    if (l >= 2) {
      // If l = k + 1 = n + 1, the bracket and the source at j = 1 are exactly zero, so the sum starts at 2.
      const std::uint64_t first = bracket_[1] > static_cast<double>(l) ? 1 : 2;
      const Scaled sum =
          weighted_convolution(weight_, bracket_, static_cast<double>(l), source_, pairs_, l, first, l);
      // In the recurrence, C(l,j) / l = (l-1)! / (j! (l-j)!), and the sum lacks the factor (l-1)!.
      excess = scaled(sum.mantissa / static_cast<double>(l) / inverse_factorial_.mantissa,
                      sum.exponent - inverse_factorial_.exponent);
    }
    excess_.push_back(excess);
    // E_l / l! and 1 / l! are stored with one exponent. If one of them is below 2^-1000 of the other, it is
    // negligible.
    const std::int32_t shared = excess.mantissa == 0 ? 0 : numerics::larger(0, excess.exponent);
    const double inverse = inverse_factorial_.mantissa;
    pairs_.x.push_back(std::ldexp(excess.mantissa, numerics::larger(excess.exponent - shared, -1070)) *
                       inverse);
    pairs_.y.push_back(std::ldexp(inverse, numerics::larger(-shared, -1070)));
    pairs_.exponent.push_back(shared + inverse_factorial_.exponent);
    inverse_factorial_ = scaled(inverse / static_cast<double>(l + 1), inverse_factorial_.exponent);
  }
}

void HomogeneousRdp::double_up(std::uint64_t order) {
  // Builds Z_k from Z_1, where Z_m = F^m - e^{mx}: each further binary digit of k doubles m, and a digit 1
  // also increases it by 1.
  const auto terms = static_cast<std::uint64_t>(terms_);
  ScaledSeries one, factorials = exponential(1, order);
  for (std::uint64_t j = 0; j <= order; ++j)
    one.push_back(numerics::scaled_exp(moments_.log_excess(j)) * factorials[j]);
  const ScaledSeries whole = sum(factorials, one, 1);  // the series F
  ScaledSeries z = one;
  double power = 1;
  for (int bit = static_cast<int>(std::bit_width(terms)) - 2; bit >= 0; --bit) {
    z = product(sum(exponential(power, order), z, 2), z, order);
    power *= 2;
    if (terms >> bit & 1) {  // F^{m+1} - e^{(m+1)x} = e^{mx} (F - e^x) + F Z_m
      z = sum(product(exponential(power, order), one, order), product(whole, z, order), 1);
      power += 1;
    }
  }
  if (clients_ > terms_) z = product(exponential(clients_ - terms_, order), z, order);
  doubled_.clear();
  Scaled unit = scaled(1);  // i! / n^i in iteration i
  for (std::uint64_t i = 0; i <= order; ++i) {
    doubled_.push_back(z[i] * unit);
    unit = scaled(unit.mantissa / clients_ * static_cast<double>(i + 1), unit.exponent);
  }
}

HomogeneousRdp::Excess HomogeneousRdp::excess(std::uint64_t order) {
  if (order < 2) return {{}, 0};
  const double l = static_cast<double>(order);
  // Unrolled, the recurrence makes E_l a sum of positive products of at most l factors, so its relative error
  // is at most that of the worst product. In units of kUnitRoundoff, a factor of index j adds
  // kConvolutionUlps for the sum, 24 + 10 reach(j) for the weight, 32 + 16 reach(j) for the bracket, and 10
  // for the products. The indices of the factors sum to at most l, and reach is superadditive, so the reaches
  // sum to at most reach(l).
  double error = kUnitRoundoff * ((numerics::kConvolutionUlps + 80) * l + 32 * moments_.reach(order) + 64);
  if (l <= terms_ + 1) {
    recur(order);
    return {excess_[order], error};
  }
  if (doubled_.size() <= order) {
    const std::uint64_t ample = numerics::larger<std::uint64_t>(order, doubled_.size() * 2);
    double_up(in_range(ample) ? ample : order);
  }
  // Doubling the power doubles the errors, and one more factor F adds its own. So the total is at most k
  // times the error of one factor. It is also at most l times that error, because in a coefficient of x^l at
  // most l factors contribute more than their constant term 1.
  const double levels = static_cast<double>(std::bit_width(static_cast<std::uint64_t>(terms_)));
  const double factors = 2 * numerics::smaller(terms_, l) + 3 * levels;
  error += kUnitRoundoff * ((numerics::kConvolutionUlps + 16) * factors + 8 * l);
  return {doubled_[order], error};
}

numerics::Enclosure HomogeneousRdp::divergence(std::uint64_t order) {
  if (order < 2) return {0, kInfinity};
  if (!in_range(order)) return {0, kInfinity};
  const Excess found = excess(order);
  const double l = static_cast<double>(order), error = found.relative_error;
  if (!(found.value.mantissa > 0)) return {0, kInfinity};  // the excess is 0 or unknown
  // In the first case, the result is wrong by at most five roundings: one each from `factor`, its product
  // with the value and the quotient, and two from log1p. In the second case, the logarithm of the value is
  // above 600 and wrong by at most four roundings; the logarithm of `factor`, the sum and the quotient add at
  // most one each.
  const auto rho = [&](double factor) {
    if (found.value.exponent < 900) {
      return std::log1p(std::ldexp(found.value.mantissa, found.value.exponent) * factor) / (l - 1);
    }
    return (log_of(found.value) + std::log(factor)) / (l - 1);
  };
  return {numerics::larger(0.0, rho(1 - error) * (1 - numerics::kEightRoundings)),
          rho(1 + error) * (1 + numerics::kEightRoundings)};
}

}  // namespace muster::accounting
