#include "muster/numerics/sums/excess_by_contour.h"

#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>

#include "muster/numerics/ordered.h"
#include "muster/numerics/sums/characteristic_product.h"
#include "muster/numerics/sums/contour.h"
#include "muster/numerics/sums/frequency_walk.h"
#include "muster/numerics/sums/smoothed_excess.h"

namespace muster::numerics {
namespace {

constexpr double kNegligible = 24;  // terms below e^-24 of the largest one are bounded, not computed
// Chernoff's bound is returned where its logarithm is below this: such small deltas are of no use.
constexpr double kVanishing = -600;
constexpr double kVanishingOfMany = -230;  // the same for more than 8 atoms, whose sums are slow
constexpr double kPatience = 16;           // budgets that the coarsest smoothing may take
// A smoothing is not tried if it is expected to take more than this many times the affordable work. The
// expectation comes from how far a finer smoothing came and is good to a few per cent: in 6,000 sums no
// smoothing that took more than 1.001 times as much succeeded.
constexpr double kHopeless = 1.05;
constexpr double kSmoothingCut = 6;  // frequencies beyond 6/s carry less than e^-18 and are bounded

// The trapezoidal sum with smoothing of deviation s.
contour::SmoothedSum trapezoid(const TiltedLaw& tilt, double n, double k, double c, double period, double s,
                               double budget) {
  const double step = 2 * std::numbers::pi / period;
  const double last = std::floor(kSmoothingCut / s / step);
  double value = 1 / (c * c);  // j = 0
  const contour::RoundOff round_off(tilt, n, c, k);
  double noise = value * round_off.at(0);
  double density = 1 + round_off.at(0);  // upper bound of the same sum without 1/z^2
  double skipped = 0;
  contour::Product product(s, kNegligible, contour::Leap::by_one_factor);
  product.add(tilt, n, step);
  const double visited = contour::walk(
      product, step, last, budget,
      [&](double, double t) {
        const contour::Polar& at = product.at();
        const double size = 2 * std::exp(at.exponent);
        const double angle = at.phase - t * k + s * s * c * t;
        const std::complex<double> z(c, t);
        const std::complex<double> term = std::polar(size, angle) / (z * z);
        value += term.real();
        noise += std::abs(term) * round_off.at(t) * at.amplify;
        density += size * (std::cos(angle) + round_off.at(t) * at.amplify);
      },
      [&](double j, double, double leap) {
        const double each = 2 * std::exp(-kNegligible);
        skipped += each * (leap + 1) / (j * step * j * step);
        density += each * (leap + 1);
      });
  if (visited < last) {
    return {0, 0, 0, visited / last};
  }
  const contour::Beyond rest = contour::beyond(last, step, s);
  skipped += rest.excess;
  density += rest.density;
  const double scale = std::exp(0.5 * s * s * c * c) / period;
  return {value * scale, (skipped + noise) * scale, larger(0.0, density) * scale, 1};
}

}  // namespace

double excess_saddle(const AtomicLaw& law, double n, double k) {
  return contour::saddle_point(law, n, k, [](double c) { return 2 / c; });
}

Enclosure excess_by_contour(const AtomicLaw& law, double n, double k, double jensen) {
  const double c = excess_saddle(law, n, k);
  const TiltedLaw tilt(law, c);
  const bool few_atoms = tilt.atoms() <= 8;
  const double log_scale = n * tilt.log_mgf() - c * k;
  const double width = std::sqrt(n * tilt.variance() + 2 / (c * c));
  const double log_value = log_scale - 2 * std::log(c) - std::log(width * std::sqrt(2 * std::numbers::pi));
  // Chernoff's bound: x_+ <= e^{lambda x} / (e lambda).
  const contour::Period period = contour::choose_period(c, log_value, [&](double lambda) {
    return n * law.log_mgf(lambda) - lambda * k - 1 - std::log(lambda);
  });
  const double log_chernoff = log_scale - 1 - std::log(c);
  if (log_chernoff < (few_atoms ? kVanishing : kVanishingOfMany)) {
    return {jensen, std::exp(larger(log_chernoff, -700.0))};
  }
  const double budget = few_atoms ? 4e4 : 2e6 / static_cast<double>(tilt.atoms());
  const double finest = few_atoms ? 3e-3 : 7e-3;
  const double coarser = few_atoms ? 2 : 4;
  double expected = 0;  // estimated work of this smoothing in budgets, from how far the last one came
  // Find the finest smoothing whose frequencies fit the budget.
  for (double fraction = finest;; fraction *= coarser, expected /= coarser) {
    const double s = fraction / c;  // the tilted integrand varies on the scale 1/c
    const bool coarsest = fraction > 0.3;
    const double affordable = coarsest ? kPatience : 1;
    const bool hopeless = expected > kHopeless * affordable;
    const contour::SmoothedSum sum = hopeless
                                         ? contour::SmoothedSum{0, 0, 0, 0}
                                         : trapezoid(tilt, n, k, c, period.length, s, affordable * budget);
    if (sum.visited >= 1) {
      return contour::without_smoothing(sum, log_scale, c, s, period);
    }
    if (coarsest) {  // the integrand hardly decays
      return {0, std::exp(log_scale - 1) / c * (1 + 1e-9)};
    }
    expected = hopeless ? expected : 1 / sum.visited;
  }
}

}  // namespace muster::numerics
