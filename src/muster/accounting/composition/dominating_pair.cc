#include "muster/accounting/composition/dominating_pair.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "muster/core/error.h"
#include "muster/numerics/contour.h"
#include "muster/numerics/crossing.h"

namespace muster::accounting {
namespace {

using Extended = long double;

constexpr double kLargestEpsilon = 1e9;
constexpr double kWork = 1e8;  // atoms times frequencies one answer may cost: about a tenth of a second

// Greatest convex minorant of the points (x increasing, y), in place: y becomes the hull's value at each x.
void lower_convex_hull(const std::vector<Extended>& x, std::vector<Extended>& y) {
  std::vector<std::size_t> hull;
  for (std::size_t i = 0; i < x.size(); ++i) {
    while (hull.size() >= 2) {
      const std::size_t a = hull[hull.size() - 2];
      const std::size_t b = hull.back();
      // b is above the chord a-i: drop it
      if ((y[b] - y[a]) * (x[i] - x[a]) >= (y[i] - y[a]) * (x[b] - x[a])) {
        hull.pop_back();
      } else {
        break;
      }
    }
    hull.push_back(i);
  }
  for (std::size_t s = 0; s + 1 < hull.size(); ++s) {
    const std::size_t a = hull[s];
    const std::size_t b = hull[s + 1];
    for (std::size_t i = a + 1; i < b; ++i) {
      y[i] = y[a] + (y[b] - y[a]) * (x[i] - x[a]) / (x[b] - x[a]);
    }
  }
}

// How far a convex function inside the enclosures at four consecutive nodes can sag below the chord of the
// lower ends of the middle two: the chord minus the larger of the two neighbouring chords' extensions,
// maximal at their crossing.
Extended sag(const Extended* x, const Extended* low, const Extended* high) {
  const Extended left_slope = (low[1] - high[0]) / (x[1] - x[0]);   // extension to the right of node 1
  const Extended right_slope = (high[3] - low[2]) / (x[3] - x[2]);  // extension to the left of node 2
  const Extended chord = (low[2] - low[1]) / (x[2] - x[1]);
  if (left_slope >= chord || right_slope <= chord) {
    return 0;
  }
  const Extended width = x[2] - x[1];
  const Extended at = (right_slope - chord) * width / (right_slope - left_slope);  // crossing, from node 1
  return (chord - left_slope) * at;
}

Extended alpha_at(const RoundCurve& curve, std::size_t i) {
  return std::exp(static_cast<Extended>(curve.spacing) * static_cast<Extended>(curve.index[i]));
}

}  // namespace

LossDistribution LossDistribution::from_profile(const RoundCurve& curve, const std::vector<Extended>& above,
                                                const std::vector<Extended>& excess_below) {
  const std::size_t top = above.size() - 1;
  const auto slope_above = [&](std::size_t i) {  // on [alpha_i, alpha_{i+1}]
    return i >= top ? 0 : (above[i + 1] - above[i]) / (alpha_at(curve, i + 1) - alpha_at(curve, i));
  };
  const auto slope_below = [&](std::size_t i) {  // of the excess, on [1/alpha_{i+1}, 1/alpha_i]
    return i >= top ? 0
                    : (excess_below[i] - excess_below[i + 1]) /
                          (1 / alpha_at(curve, i) - 1 / alpha_at(curve, i + 1));
  };
  LossDistribution result;
  result.spacing_ = curve.spacing;
  result.infinity_ = static_cast<double>(above[top]);
  for (std::size_t i = 1; i <= top; ++i) {
    const double loss = curve.spacing * static_cast<double>(curve.index[i]);
    const Extended up = std::max<Extended>(0, slope_above(i) - slope_above(i - 1));
    const Extended down = std::max<Extended>(0, slope_below(i - 1) - slope_below(i));
    result.law_.add(loss, static_cast<double>(alpha_at(curve, i) * up));
    result.law_.add(-loss, static_cast<double>(down / alpha_at(curve, i)));
  }
  return result;  // the mass at zero loss is implicit: what the nonzero losses leave of 1
}

LossDistribution LossDistribution::dominating(const RoundCurve& curve) {
  const std::size_t top = curve.forward.size() - 1;
  // One array over alpha = e^{-Ih} ... e^{Ih}; the part below 1 as excess over 1 - alpha would break the hull
  // at 1, so the hull is taken on full values in extended precision (the far left tail carries no P-mass
  // worth its digits).
  std::vector<Extended> x;
  std::vector<Extended> y;
  const auto alpha = [&](std::size_t i) { return alpha_at(curve, i); };
  for (std::size_t i = top; i > 0; --i) {
    x.push_back(1 / alpha(i));
    y.push_back(1 - 1 / alpha(i) + curve.reverse[i].upper / alpha(i));
  }
  for (std::size_t i = 0; i <= top; ++i) {
    x.push_back(alpha(i));
    y.push_back(i == 0 ? std::max(curve.forward[0].upper, curve.reverse[0].upper) : curve.forward[i].upper);
  }
  lower_convex_hull(x, y);
  std::vector<Extended> above(top + 1);
  std::vector<Extended> below(top + 1);
  for (std::size_t i = 0; i <= top; ++i) {
    above[i] = y[top + i];
    below[i] = std::max<Extended>(0, y[top - i] - (1 - x[top - i]));
  }
  return from_profile(curve, above, below);
}

LossDistribution LossDistribution::dominated(const RoundCurve& curve) {
  const std::size_t top = curve.forward.size() - 1;
  const auto alpha = [&](std::size_t i) { return alpha_at(curve, i); };
  // Full values over the whole lattice: lower and upper ends.
  std::vector<Extended> x;
  std::vector<Extended> low;
  std::vector<Extended> high;
  for (std::size_t i = top; i > 0; --i) {
    x.push_back(1 / alpha(i));
    low.push_back(1 - 1 / alpha(i) + curve.reverse[i].lower / alpha(i));
    high.push_back(1 - 1 / alpha(i) + curve.reverse[i].upper / alpha(i));
  }
  for (std::size_t i = 0; i <= top; ++i) {
    x.push_back(alpha(i));
    low.push_back(i == 0 ? std::max(curve.forward[0].lower, curve.reverse[0].lower) : curve.forward[i].lower);
    high.push_back(i == 0 ? std::min(curve.forward[0].upper, curve.reverse[0].upper)
                          : curve.forward[i].upper);
  }
  const std::size_t size = x.size();
  std::vector<Extended> drop(size,
                             0);  // sag of the cell to the right of each node; ends are handled by the floor
  for (std::size_t i = 1; i + 2 < size; ++i) {
    drop[i] = sag(&x[i - 1], &low[i - 1], &high[i - 1]);
  }
  // A node is kept while it clears its cells' sag; beyond, the curve is its floor (1 - alpha)_+.
  const auto floor_at = [&](std::size_t i) { return std::max<Extended>(0, 1 - x[i]); };
  std::vector<Extended> y(size);
  const auto lowered = [&](std::size_t i) { return low[i] - std::max(drop[i - 1], drop[i]); };
  std::size_t first = top;
  while (first > 2 && low[first - 1] - floor_at(first - 1) > 4 * std::max(drop[first - 2], drop[first - 1])) {
    --first;
  }
  std::size_t last = top;
  while (last + 3 < size && low[last + 1] - floor_at(last + 1) > 4 * std::max(drop[last], drop[last + 1])) {
    ++last;
  }
  for (std::size_t i = 0; i < size; ++i) {
    y[i] = i > first && i < last ? std::max(floor_at(i), lowered(i)) : floor_at(i);
  }
  lower_convex_hull(x, y);
  std::vector<Extended> above(top + 1);
  std::vector<Extended> below(top + 1);
  for (std::size_t i = 0; i <= top; ++i) {
    above[i] = std::max<Extended>(0, y[top + i]);
    below[i] = std::max<Extended>(0, y[top - i] - (1 - x[top - i]));
  }
  return from_profile(curve, above, below);
}

numerics::Enclosure LossDistribution::delta(std::uint64_t rounds, double epsilon) const {
  namespace contour = numerics::contour;
  const double n = static_cast<double>(rounds);
  const double at_infinity = -std::expm1(n * std::log1p(-infinity_));
  const double intrinsic = std::max(0.0, -std::expm1(epsilon));
  if (law_.points.empty() || n * law_.largest_point() <= epsilon) {
    return {std::max(intrinsic, at_infinity * (1 - 1e-12)),
            std::min(1.0, std::max(intrinsic, at_infinity * (1 + 1e-12)))};
  }
  // delta = sum over lattice losses l > eps of m(l) (1 - e^{eps-l}), m the T-fold law; the kernel is its
  // lattice transform, sum over l >= l0 of (1 - e^{eps-l}) e^{-zl}, l0 the first lattice point above eps.
  const double h = spacing_;
  const double l0 = h * std::ceil(epsilon / h);
  const double c = contour::saddle_point(law_, n, epsilon, [](double at) { return 1 / at + 1 / (at + 1); });
  const numerics::TiltedLaw tilt(law_, c);
  const double log_scale = n * tilt.log_mgf() - c * l0;
  const double width = std::sqrt(n * tilt.variance() + 1 / (c * c));
  const double log_value = log_scale - std::log(c * (c + 1) * width * std::sqrt(2 * std::numbers::pi));
  const contour::Period period = contour::choose_period(
      c, log_value, [&](double lambda) { return n * law_.log_mgf(lambda) - lambda * epsilon; });
  const double cells = 2 * std::ceil(period.length / h / 2);  // even
  const double step = 2 * std::numbers::pi / (cells * h);

  const auto kernel = [&](double t) {
    const std::complex<double> z(c, t);
    // 1 - e^{-zh} without cancellation for small |z| h
    const auto one_minus = [h](std::complex<double> w) {
      const double a = w.real() * h;
      const double b = w.imag() * h;
      const double s = std::sin(0.5 * b);
      return std::complex<double>(-std::expm1(-a) + 2 * std::exp(-a) * s * s, std::exp(-a) * std::sin(b));
    };
    return 1.0 / one_minus(z) - std::exp(epsilon - l0) / one_minus(z + 1.0);
  };
  const double largest = 2 / -std::expm1(-c * h);  // |kernel| <= this
  double value = kernel(0).real();
  const contour::RoundOff round_off(tilt, n, c, l0);
  const double kernel_noise = 8 * largest * 2.3e-16;
  double noise = (std::abs(value) + kernel_noise) * round_off.at(0) + kernel_noise;
  double skipped = 0;
  const bool affordable = contour::walk(
      tilt, n, step, cells / 2, kWork / static_cast<double>(tilt.atoms() + 8), [](double) { return 0.0; },
      [&](double j, double exponent, double phase, double amplify) {
        const double t = j * step;
        const double weight = j == cells / 2 ? 1 : 2;
        const std::complex<double> k = kernel(t);
        value += weight * std::exp(exponent) * (std::polar(1.0, phase - t * l0) * k).real();
        noise += weight * std::exp(exponent) *
                 ((std::abs(k) + kernel_noise) * round_off.at(t) * amplify + kernel_noise);
      },
      [&](double, double count) { skipped += 2 * count * largest * std::exp(-contour::kNegligible); });
  if (!affordable) {  // extreme numbers of rounds: Chernoff's bound instead of the sum
    return {
        intrinsic * (1 - 1e-12),
        std::clamp(std::exp(n * tilt.log_mgf() - c * epsilon) * (1 + 1e-6) + at_infinity, intrinsic, 1.0)};
  }
  const double error = skipped + noise;
  const double scale = std::exp(log_scale) / cells;
  // Weights of the law carry a relative 1e-15 each.
  const double weights = 1 + 4e-15 * n * tilt.nonzero_mass();
  const double length = cells * h;
  const double decay = std::exp(-c * length);
  const double ratio = std::exp(-(period.lambda - c) * length);
  const double aliases = decay / (1 - decay) + std::exp(period.log_left) * ratio / (1 - ratio);
  const double upper = (std::max(0.0, value) + error) * scale * weights + at_infinity;
  const double lower = (value - error) * scale / weights - aliases;
  return {std::max({0.0, lower, intrinsic * (1 - 1e-12)}), std::min(1.0, std::max(upper, intrinsic))};
}

double LossDistribution::epsilon_upper(std::uint64_t rounds, double target) const {
  if (-std::expm1(static_cast<double>(rounds) * std::log1p(-infinity_)) > target) {
    return std::numeric_limits<double>::infinity();
  }
  return numerics::crossing_from_above([&](double epsilon) { return delta(rounds, epsilon).upper; }, target,
                                       kLargestEpsilon);
}

double LossDistribution::epsilon_lower(std::uint64_t rounds, double target) const {
  return numerics::crossing_from_below([&](double epsilon) { return delta(rounds, epsilon).lower; }, target,
                                       kLargestEpsilon);
}

}  // namespace muster::accounting
