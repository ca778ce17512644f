#include "muster/numerics/sums/expected_excess.h"

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <optional>

#include "muster/numerics/ordered.h"
#include "muster/numerics/sums/contour.h"
#include "muster/numerics/sums/enumerated_excess.h"
#include "muster/numerics/sums/rare_terms.h"
#include "muster/numerics/sums/sparse_sum.h"

namespace muster::numerics {
namespace {

constexpr double kUlp = std::numeric_limits<double>::epsilon();
constexpr double kNegligible = 24;  // terms below e^-24 of the largest one are bounded, not computed
// Chernoff's bound is returned where its logarithm is below this: such small deltas are of no use.
constexpr double kVanishing = -600;
constexpr double kVanishingOfMany = -230;  // the same for more than 8 atoms, whose sums are slow
constexpr std::size_t kMany = 64;          // laws of fewer atoms have no rare large terms to take apart
constexpr double kPatience = 16;           // budgets that the coarsest smoothing may take
// A smoothing is not tried if it is expected to take more than this many times the affordable work. The
// expectation comes from how far a finer smoothing came and is good to a few per cent: in 6,000 sums no
// smoothing that took more than 1.001 times as much succeeded.
constexpr double kHopeless = 1.05;
constexpr double kSmoothingCut = 6;  // frequencies beyond 6/s carry less than e^-18 and are bounded

double saddle(const AtomicLaw& law, double n, double k) {
  return contour::saddle_point(law, n, k, [](double c) { return 2 / c; });
}

bool is_zero(const AtomicLaw& law, double n, double k) {
  return law.points.empty() || n * law.largest_point() <= k;
}

// The trapezoidal sum at one smoothing, in units of e^{log_scale}.
struct Sum {
  double value;
  double error;    // two-sided: skipped terms, truncation, round-off
  double density;  // upper bound on the density of S + Z at k
  double visited;  // share of the frequencies that the budget was enough for
};

Sum trapezoid(const TiltedLaw& tilt, double n, double k, double c, double period, double s, double budget) {
  const double step = 2 * std::numbers::pi / period;
  const double last = std::floor(kSmoothingCut / s / step);
  double value = 1 / (c * c);  // j = 0
  const contour::RoundOff round_off(tilt, n, c, k);
  double noise = value * round_off.at(0);
  double density = 1 + round_off.at(0);  // upper bound of the same sum without 1/z^2
  double skipped = 0;
  const double visited = contour::walk(
      tilt, n, step, last, kNegligible, budget, [s](double t) { return 0.5 * s * s * t * t; },
      [&](double j, double exponent, double phase, double amplify) {
        const double t = j * step;
        const double size = 2 * std::exp(exponent);
        const double angle = phase - t * k + s * s * c * t;
        const std::complex<double> z(c, t);
        const std::complex<double> term = std::polar(size, angle) / (z * z);
        value += term.real();
        noise += std::abs(term) * round_off.at(t) * amplify;
        density += size * (std::cos(angle) + round_off.at(t) * amplify);
      },
      [&](double j, double count) {
        const double each = 2 * std::exp(-kNegligible);
        skipped += each * count / (j * step * j * step);
        density += each * count;
      });
  if (visited < last) {
    return {0, 0, 0, visited / last};
  }
  // Beyond `last`, with |phi| <= 1, the smoothing alone gives a decreasing integrand, whose sum is at
  // most its first term plus its integral.
  const double t = (last + 1) * step;
  const double rest = 2 * std::exp(-0.5 * s * s * t * t);
  skipped += rest * (1 / (step * t) + 1 / (t * t));
  density += rest * (1 / (step * s * s * t) + 1);
  const double scale = std::exp(0.5 * s * s * c * c) / period;
  return {value * scale, (skipped + noise) * scale, larger(0.0, density) * scale, 1};
}

}  // namespace

Enclosure expected_excess(const AtomicLaw& law, double n, double k) {
  if (!std::isfinite(k))
    // An infinite or NaN threshold must not look like an excess of 0.
    return {0, std::numeric_limits<double>::infinity()};
  const double intrinsic = larger(0.0, n * law.mean() - k);  // a lower bound by Jensen's inequality
  if (is_zero(law, n, k)) {
    return {intrinsic, intrinsic};
  }
  if (n <= 2 && law.points.size() > 3) {
    const Enclosure exact = excess_of_one_or_two(law, n, k);
    return {larger(exact.lower, intrinsic - 8 * kUlp * std::abs(k)), larger(exact.upper, intrinsic)};
  }
  if (const std::optional<Enclosure> few = few_terms_excess(law, n, k)) {
    return {larger(few->lower, intrinsic - 8 * kUlp * std::abs(k)), larger(few->upper, intrinsic)};
  }
  if (enumerable(law, n)) {
    const Enclosure exact = enumerated_excess(law, n, k);
    return {larger(exact.lower, intrinsic - 8 * kUlp * std::abs(k)), larger(exact.upper, intrinsic)};
  }
  if (law.points.size() >= kMany && n >= 2) {
    if (const std::optional<Enclosure> apart = excess_with_rare_terms(law, n, k)) {
      return {larger(apart->lower, intrinsic - 8 * kUlp * std::abs(k)), larger(apart->upper, intrinsic)};
    }
  }
  const double c = saddle(law, n, k);
  const TiltedLaw tilt(law, c);
  const double log_scale = n * tilt.log_mgf() - c * k;
  const double width = std::sqrt(n * tilt.variance() + 2 / (c * c));
  const double log_value = log_scale - 2 * std::log(c) - std::log(width * std::sqrt(2 * std::numbers::pi));
  // Chernoff's bound: x_+ <= e^{lambda x} / (e lambda).
  const contour::Period period = contour::choose_period(c, log_value, [&](double lambda) {
    return n * law.log_mgf(lambda) - lambda * k - 1 - std::log(lambda);
  });

  if (log_scale - 1 - std::log(c) < (tilt.atoms() <= 8 ? kVanishing : kVanishingOfMany)) {
    return {intrinsic, larger(intrinsic, std::exp(larger(log_scale - 1 - std::log(c), -700.0)))};
  }
  const double budget = tilt.atoms() <= 8 ? 4e4 : 2e6 / static_cast<double>(tilt.atoms());
  const double scale = std::exp(log_scale);
  const double finest = tilt.atoms() <= 8 ? 3e-3 : 7e-3;
  const double coarser = tilt.atoms() <= 8 ? 2 : 4;
  double expected = 0;  // estimated work of this smoothing in budgets, from how far the last one came
  // Find the finest smoothing whose frequencies fit the budget.
  for (double fraction = finest;; fraction *= coarser, expected /= coarser) {
    const double s = fraction / c;  // the tilted integrand varies on the scale 1/c
    const bool coarsest = fraction > 0.3;
    const double affordable = coarsest ? kPatience : 1;
    const bool hopeless = expected > kHopeless * affordable;
    const Sum sum =
        hopeless ? Sum{0, 0, 0, 0} : trapezoid(tilt, n, k, c, period.length, s, affordable * budget);
    if (!(sum.visited >= 1)) {
      if (coarsest) {  // the integrand hardly decays: Chernoff's bound, x_+ <= e^{cx} / (e c)
        return {larger(0.0, intrinsic - 8 * kUlp * std::abs(k)),
                larger(intrinsic, std::exp(log_scale - 1) / c * (1 + 1e-9))};
      }
      expected = hopeless ? expected : 1 / sum.visited;
      continue;
    }
    const double upper = (larger(sum.value, 0.0) + sum.error) * scale * (1 + 64 * kUlp);
    const double decay = std::exp(-c * period.length);
    const double smoothing = std::exp(0.5 * s * s * period.lambda * period.lambda);
    const double aliases = upper * decay / (1 - decay) + period.length * decay / ((1 - decay) * (1 - decay)) +
                           period.left_aliases(c) * smoothing;
    const double lower =
        (sum.value - sum.error) * scale * (1 - 64 * kUlp) - s * s * sum.density * scale - aliases;
    return {larger(0.0, lower, intrinsic - 8 * kUlp * std::abs(k)), larger(upper, intrinsic)};
  }
}

double expected_excess_chernoff(const AtomicLaw& law, double n, double k) {
  if (!std::isfinite(k)) return std::numeric_limits<double>::infinity();
  if (is_zero(law, n, k)) {
    return larger(0.0, n * law.mean() - k);
  }
  const double c = saddle(law, n, k);
  return std::exp(n * law.log_mgf(c) - c * k - 1 - std::log(c));
}

}  // namespace muster::numerics
