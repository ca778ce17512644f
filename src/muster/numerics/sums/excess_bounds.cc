#include "muster/numerics/sums/excess_bounds.h"

#include <cmath>
#include <limits>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/work.h"

namespace muster::numerics {
namespace {

// Margin for the round-off of sums of positive terms, each with a relative error of about 1e-15.
constexpr double kOutward = 1e-12;
constexpr double kSteepest = 100;  // Chernoff's bound is useless where c times the largest atom exceeds this
constexpr double kMaxExponent = 700;  // largest exponent of e that is computed: e^710 is not a double
// Underflow of squares may lower the standard deviation of a sum of up to 1e12 copies by this much.
constexpr double kSquareUnderflow = 1e-146;
// A bound on the absolute error of E e^{cY}, computed as 1 plus a sum over atoms, where it is below 0.8.
constexpr double kCancelled = 8e-15;
constexpr double kLeastExponent = -744;  // least exponent of e that is computed: e^-746 is rounded to 0

}  // namespace

double log_mgf_above(const AtomicLaw& law, double c) {
  const Tilt tilt = tilt_of(law, c);
  // E e^{cY} is computed as 1 plus a sum over atoms. Where it is small, this cancels: the absolute error is a
  // few ulps of 1, and the result may even be 0.
  if (tilt.log_mgf < -0.25) {
    const double log_above = std::log(std::exp(tilt.log_mgf) + kCancelled);
    return log_above +
           kEightRoundings * (std::abs(log_above) + std::abs(tilt.log_mgf < -700 ? 0 : tilt.log_mgf));
  }
  const double moduli = smaller(1.0, tilt.nonzero_mass * std::exp(smaller(tilt.log_mgf, 1.0)) + 1e-2);
  return tilt.log_mgf + 4e-15 * (std::abs(tilt.log_mgf) + moduli);
}

double chernoff_bound(double log_mgf, double c, double k) {
  const double terms = std::abs(log_mgf) + std::abs(c * k) + 1 + std::abs(std::log(c));
  const double exponent = log_mgf - c * k - 1 - std::log(c) + kEightRoundings * terms;
  return std::exp(larger(exponent, kLeastExponent)) * (1 + kThreeRoundings) +
         std::numeric_limits<double>::denorm_min();
}

ExcessBounds::ExcessBounds(const AtomicLaw& law, double copies, double c) : ExcessBounds(law, copies) {
  for (int i = 1; i > -5; --i) {
    if (const double at = c * std::pow(3, i); at * law.largest_point() < kSteepest) {
      mgfs_.push_back({at, log_mgf_above(law, at)});
      lines_.push_back(line(at, mgfs_.back().log_mgf));
    }
  }
}

ExcessBounds::ExcessBounds(const AtomicLaw& law, double copies) : copies_(copies) {
  const Tilt plain = tilt_of(law, 0);
  mean_ = copies * plain.mean;
  slack_ = copies * 2e-13 * plain.absolute_mean;
  variance_ = copies * (plain.variance * (1 + kEightThousandRoundings) + 1e-12 * plain.mean * plain.mean);
}

void ExcessBounds::add_deficits(const AtomicLaw& law) {
  const double deviation = std::sqrt(variance_);
  for (int i = 2; i > -5; --i) {
    if (const double at = std::pow(3, i) / deviation; - at * law.smallest_point() < kSteepest) {
      deficit_lines_.push_back(line(at, log_mgf_above(law, -at)));
    }
  }
}

ExcessBounds ExcessBounds::capped(const AtomicLaw& law, double copies, double chance, double size) const {
  ExcessBounds bounds(law, copies);
  for (const auto& [c, log_mgf] : mgfs_) {
    const double rest = (1 - chance) * std::expm1(log_mgf), capped = chance * std::expm1(c * size);
    const double growth = rest + capped;
    // A bound beyond the range of a double is of no use. Its line would be NaN, and so would the least of all
    // bounds.
    if (!std::isfinite(growth)) continue;
    // `error` bounds the rounding error of `growth`, whose two parts may have different signs.
    const double error = kEightRoundings * (std::abs(rest) + std::abs(capped));
    bounds.lines_.push_back(bounds.line(c, std::log1p(growth) + error / (1 + growth)));
  }
  return bounds;
}

double ExcessBounds::below(double x) const { return as_lower_bound(mean_ - slack_ - x, 1e300); }

double ExcessBounds::above(double x) const {
  const double distance = x - mean_;
  const double excess = bounded(lines_, x, distance);
  return distance < 0 ? smaller(excess, bounded(deficit_lines_, -x, -distance) - distance + slack_) : excess;
}

ExcessBounds::Line ExcessBounds::line(double c, double log_mgf) const {
  const double constant = copies_ * log_mgf - 1 - std::log(c);
  return {c, constant + kEightRoundings * (std::abs(copies_ * log_mgf) + 1 + std::abs(std::log(c)))};
}

double ExcessBounds::bounded(const std::vector<Line>& lines, double x, double distance) const {
  count_work(1, kWorkOfLoneExponential, 0);
  double least = std::numeric_limits<double>::infinity();
  for (const Line& each : lines) {
    const double product = each.slope * x;
    least = smaller(
        least, each.constant - product + kThreeRoundings * (std::abs(each.constant) + std::abs(product)));
  }
  const double root = std::sqrt(variance_ + distance * distance);
  const double scarf = distance > 0 ? 0.5 * variance_ / (root + distance) : 0.5 * (root - distance);
  const double chernoff = least < kMaxExponent ? std::exp(least) : std::numeric_limits<double>::infinity();
  return smaller(chernoff, scarf + slack_ + kSquareUnderflow) * (1 + kOutward);
}

}  // namespace muster::numerics
