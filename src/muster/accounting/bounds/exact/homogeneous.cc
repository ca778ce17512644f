#include "muster/accounting/bounds/exact/homogeneous.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "muster/numerics/call_of_sum.h"

namespace muster::accounting {
namespace {

constexpr double kWide = 1e-4;    // a relative enclosure worth a second computation
constexpr double kParity = 1e-7;  // of the strike: a smaller call drowns in the difference

void randomized_response(double epsilon0, std::vector<double>& ratios, std::vector<double>& weights) {
  const double top = std::exp(epsilon0);
  ratios = {top, 1 / top};
  weights = {1 / (1 + top), top / (1 + top)};
}

// Cells of width 1/40 in the standard normal coordinate of R(x'), merged to their means; two infinite end
// cells.
void lognormal(double mu, std::vector<double>& ratios, std::vector<double>& weights) {
  const auto mass = [](double a, double b) {  // Phi(b) - Phi(a), from the side where it keeps its digits
    const double r = std::sqrt(0.5);
    return a > 0 ? 0.5 * (std::erfc(a * r) - std::erfc(b * r))
                 : 0.5 * (std::erfc(-b * r) - std::erfc(-a * r));
  };
  const double infinity = INFINITY;
  constexpr int kCells = 800;
  const double low = -8.5;
  const double high = 8.5 + mu;
  for (int i = -1; i <= kCells; ++i) {
    const double a = i < 0 ? -infinity : low + (high - low) * i / kCells;
    const double b = i == kCells ? infinity : low + (high - low) * (i + 1) / kCells;
    const double under_alternative = mass(a, b);
    const double under_record = mass(a - mu, b - mu);
    if (under_alternative > 0) {
      ratios.push_back(under_record / under_alternative);
      weights.push_back(under_alternative);
    }
  }
}

// The exact ends, and cells of y in [0, 1] merged to their means: R(x') is centred at 1, R(x) at 0.
void laplace(double epsilon0, std::vector<double>& ratios, std::vector<double>& weights) {
  ratios = {std::exp(epsilon0), std::exp(-epsilon0)};
  weights = {0.5 * std::exp(-epsilon0), 0.5};
  constexpr int kCells = 400;
  for (int i = 0; i < kCells; ++i) {
    const double a = static_cast<double>(i) / kCells;
    const double width = -std::expm1(-epsilon0 / kCells) / 2;
    const double under_record = std::exp(-epsilon0 * a) * width;
    const double under_alternative = std::exp(-epsilon0 * (1 - a - 1.0 / kCells)) * width;
    ratios.push_back(under_record / under_alternative);
    weights.push_back(under_alternative);
  }
}

void k_randomized_response(double epsilon0, double k, std::vector<double>& ratios,
                           std::vector<double>& weights) {
  const double top = std::exp(epsilon0);
  ratios = {top, 1 / top};
  weights = {1 / (top + k - 1), top / (top + k - 1)};  // the other symbols have ratio 1
}

}  // namespace

HomogeneousCurve::HomogeneousCurve(const Mechanism& mechanism, const HomogeneousShape& shape)
    : shape_(shape) {
  if (const auto* gaussian = std::get_if<GaussianLocal>(&mechanism)) {
    lognormal(gaussian->mu(), ratios_, weights_);
  } else if (const auto* noise = std::get_if<LaplaceLocal>(&mechanism)) {
    laplace(noise->epsilon0, ratios_, weights_);
  } else if (const auto* response = std::get_if<KRandomizedResponse>(&mechanism)) {
    k_randomized_response(response->epsilon0, static_cast<double>(response->k), ratios_, weights_);
  } else {
    randomized_response(*pure_epsilon0(mechanism), ratios_, weights_);
  }
}

numerics::Enclosure HomogeneousCurve::forward(double epsilon) const {
  // (1/n) E( sum (r' - 1) - n (E - 1) )_+
  const double n = shape_.clients, k = n * std::expm1(epsilon);
  const numerics::AtomicLaw law = term(1);
  numerics::Enclosure call = numerics::call_of_sum(law, shape_.count, k);
  if (call.upper - call.lower > kWide * call.upper && call.upper > kParity * k) {
    // A heavy right tail: E(S - k)_+ = E(k - S)_+ + E S - k, where the tail is on the other side. The
    // difference loses what its two sides round, and what the sum of a thousand atoms that is the mean does.
    const numerics::Enclosure put = numerics::call_of_sum(term(-1), shape_.count, -k);
    const double intrinsic = shape_.count * law.mean() - k;
    const double lost =
        1e-12 * (put.upper + k) + 1e-13 * shape_.count * numerics::tilt_of(law, 0).absolute_mean;
    call = {std::max(call.lower, put.lower + intrinsic - lost),
            std::min(call.upper, put.upper + intrinsic + lost)};
  }
  return {call.lower / n * (1 - 1e-12), call.upper / n * (1 + 1e-12)};
}

numerics::Enclosure HomogeneousCurve::reverse(double epsilon) const {
  // (E/n) E( sum (1 - r') - n (1 - 1/E) )_+
  const double n = shape_.clients;
  const numerics::Enclosure call = numerics::call_of_sum(term(-1), shape_.count, -n * std::expm1(-epsilon));
  const double e = std::exp(epsilon);
  return {call.lower / n * e * (1 - 1e-12), call.upper / n * e * (1 + 1e-12)};
}

numerics::AtomicLaw HomogeneousCurve::term(double sign) const {
  numerics::AtomicLaw law;
  for (std::size_t i = 0; i < ratios_.size(); ++i) {
    law.add(sign * (ratios_[i] - 1), shape_.rate * weights_[i]);
  }
  return law;
}

}  // namespace muster::accounting
