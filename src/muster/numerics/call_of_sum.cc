#include "muster/numerics/call_of_sum.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

namespace muster::numerics {
namespace {

constexpr double kUlp = std::numeric_limits<double>::epsilon();
constexpr double kNegligible = 44;     // terms below e^-44 of the largest one are bounded, not computed
constexpr double kDirectCost = 8;      // a direct evaluation of phi, in rotations
constexpr double kSmoothingCut = 9.5;  // frequencies beyond this many 1/s carry less than e^-45

// Minimises log E e^{c(S-k)} - 2 log c over c > 0: strictly convex, so bisection on its derivative.
double saddle(const AtomicLaw& law, double n, double k) {
  const auto slope = [&](double c) {
    const TiltedLaw tilt(law, c);
    return n * tilt.mean() - k - 2 / c;
  };
  const double sd = std::sqrt(std::max(n * law.variance(), 1e-300));
  double low = 1e-3 / sd;
  double high = 4 / sd;
  while (slope(low) > 0 && low > 1e-280) {
    low *= 0.125;
  }
  while (slope(high) < 0 && high < 1e280) {
    high *= 4;
  }
  for (int i = 0; i < 18; ++i) {
    const double middle = std::sqrt(low * high);
    (slope(middle) > 0 ? high : low) = middle;
  }
  return std::sqrt(low * high);
}

// The tilted trapezoid for one law, n and tilt c: everything that does not depend on the smoothing.
class Contour {
 public:
  Contour(const AtomicLaw& law, double n, double k)
      : law_(law), n_(n), k_(k), c_(saddle(law, n, k)), tilt_(law, c_) {
    log_scale_ = n * tilt_.log_mgf() - c_ * k;
    width_ =
        std::sqrt(n * tilt_.variance() + 2 / (c_ * c_));  // deviation of the integrand's spectrum, inverted
    choose_period();
  }

  struct Sum {
    double value;     // the trapezoid, in units of e^{log_scale}
    double error;     // two-sided: skipped terms, truncation, round-off, in the same units
    double density;   // upper bound on the density of S + Z at k, in the same units
    bool affordable;  // false: gave up, the smoothing is too small for the budget
  };

  // Trapezoid of phi^n e^{s^2 z^2/2} e^{-zk} / z^2.
  Sum trapezoid(double s, double budget) const;

  double c() const { return c_; }
  double log_scale() const { return log_scale_; }
  double tilted_deviation() const { return std::sqrt(n_ * tilt_.variance()); }
  // Upper bound on the aliased terms given an upper bound `value` on the answer (both absolute).
  double aliasing(double value, double s) const;

 private:
  void choose_period();

  const AtomicLaw& law_;
  double n_;
  double k_;
  double c_;
  TiltedLaw tilt_;
  double log_scale_ = 0;
  double width_ = 0;
  double period_ = 0;
  double lambda_ = 0;    // Chernoff exponent of the left aliases
  double log_left_ = 0;  // log of E e^{lambda (S-k)} / (e lambda)
};

void Contour::choose_period() {
  // Rough size of the answer: the saddle-point approximation.
  const double log_value = log_scale_ - 2 * std::log(c_) - std::log(width_ * std::sqrt(2 * std::numbers::pi));
  // Right aliases e^{-cP} P <= e^-32 of the answer.
  double right = 40 / c_;
  for (int i = 0; i < 4; ++i) {
    right = (32 + std::max(0.0, std::log(right) - log_value)) / c_;
  }
  // Left aliases e^{-(lambda-c)P} E e^{lambda(S-k)}/(e lambda) <= e^-32 of the answer, for the best lambda
  // tried.
  double left = std::numeric_limits<double>::infinity();
  for (double factor : {1.1, 1.3, 1.6, 2.0, 3.0, 5.0}) {
    const double lambda = factor * c_;
    const double log_left = n_ * law_.log_mgf(lambda) - lambda * k_ - 1 - std::log(lambda);
    const double period = (32 + std::max(0.0, log_left - log_value)) / (lambda - c_);
    if (period < left) {
      left = period;
      lambda_ = lambda;
      log_left_ = log_left;
    }
  }
  period_ = std::max(right, left);
}

double Contour::aliasing(double value, double s) const {
  const double decay = std::exp(-c_ * period_);
  const double right = value * decay / (1 - decay) + period_ * decay / ((1 - decay) * (1 - decay));
  const double ratio = std::exp(-(lambda_ - c_) * period_);
  const double smoothing = 0.5 * s * s * lambda_ * lambda_;
  const double left = std::exp(log_left_ + smoothing) * ratio / (1 - ratio);
  return right + left;
}

Contour::Sum Contour::trapezoid(double s, double budget) const {
  const double step = 2 * std::numbers::pi / period_;
  const double last = kSmoothingCut / s;
  const double lipschitz = tilt_.absolute_mean();
  const double threshold = std::exp(-kNegligible / n_);
  EquispacedCharacteristic characteristic(tilt_, step);

  double sum = 1 / (c_ * c_);  // j = 0
  double magnitude = sum;
  double density = 1;  // the same terms without 1/z^2, by modulus
  double modulus = 1;
  double skipped = 0;
  double work = 0;
  bool in_step = true;  // the rotating evaluator stands at j - 1
  double j = 1;
  while (true) {
    const double t = j * step;
    if (t > last) {
      // sum over the rest <= (1/step) int_t^inf e^{-s^2 x^2/2} / x^2 dx + its first term
      const double rest = 2 * std::exp(-0.5 * s * s * t * t);
      skipped += rest * (1 / (step * t) + 1 / (t * t));
      density += rest * (1 / (step * s * s * t) + 1);
      break;
    }
    work += in_step ? 1 : kDirectCost;
    if (work > budget) {
      return {0, 0, 0, false};
    }
    std::complex<double> minus_one;
    if (in_step) {
      characteristic.advance();
      minus_one = characteristic.current();
    } else {
      minus_one = tilt_.characteristic_minus_one(t);
    }
    const double re = minus_one.real();
    const double im = minus_one.imag();
    const double log_modulus = 0.5 * std::log1p(std::max(2 * re + re * re + im * im, -1.0));
    const double exponent = n_ * log_modulus - 0.5 * s * s * t * t;
    if (exponent > -kNegligible) {
      if (!in_step) {
        characteristic.seek(j);
        in_step = true;
      }
      const double phase = n_ * std::atan2(im, 1 + re) - t * k_ + s * s * c_ * t;
      const std::complex<double> z(c_, t);
      const std::complex<double> term = std::polar(2 * std::exp(exponent), phase) / (z * z);
      sum += term.real();
      magnitude += std::abs(term);
      density += 2 * std::exp(exponent) * std::cos(phase);
      modulus += 2 * std::exp(exponent);
      j += 1;
      continue;
    }
    // |phi| <= modulus + lipschitz * distance stays below the threshold this far: those terms are e^-44 at
    // most.
    const double reach = (threshold - std::exp(log_modulus)) / lipschitz;
    const double leap = reach > 0 ? std::floor(reach / step) : 0;
    skipped += 2 * std::exp(-kNegligible) * (leap + 1) / (t * t);
    density += 2 * std::exp(-kNegligible) * (leap + 1);
    j += leap + 1;
    in_step = leap == 0 && in_step;
  }
  // Round-off of n log phi: each rotation of an atom keeps its angle to kResync ulps, other operations to a
  // few.
  const double per_term = kUlp * (n_ * tilt_.nonzero_mass() * (EquispacedCharacteristic::kResync + 8) +
                                  n_ * std::abs(tilt_.log_mgf()) + c_ * std::abs(k_) + 256);
  const double scale = std::exp(0.5 * s * s * c_ * c_) / period_;
  return {sum * scale, (skipped + magnitude * per_term) * scale,
          std::max(0.0, density + modulus * per_term) * scale, true};
}

bool is_zero(const AtomicLaw& law, double n, double k) {
  return law.points.empty() || n * law.largest_point() <= k;
}

// The sum at the finest smoothing whose frequencies fit the budget.
Enclosure enclose(const Contour& contour, std::size_t atoms) {
  const double unit = std::min(contour.tilted_deviation(), 1 / contour.c());
  const double budget = 2e6 / static_cast<double>(std::max<std::size_t>(atoms, 4));
  const double scale = std::exp(contour.log_scale());
  for (double fraction = 1e-3;; fraction *= 2) {
    const double s = fraction * unit;
    const bool last = fraction > 0.02;
    const Contour::Sum sum = contour.trapezoid(s, last ? std::numeric_limits<double>::infinity() : budget);
    if (!sum.affordable) {
      continue;
    }
    const double upper = (std::max(sum.value, 0.0) + sum.error) * scale * (1 + 64 * kUlp);
    const double loss = s * s * sum.density * scale + contour.aliasing(upper, s);
    const double lower = (sum.value - sum.error) * scale * (1 - 64 * kUlp) - loss;
    return {std::max(lower, 0.0), upper};
  }
}

}  // namespace

Enclosure call_of_sum(const AtomicLaw& law, double n, double k) {
  const double intrinsic =
      std::max(0.0, n * law.mean() - k);  // Jensen: where the strike is far below the mean
  if (is_zero(law, n, k)) {
    return {intrinsic, intrinsic};
  }
  Enclosure result = enclose(Contour(law, n, k), law.points.size());
  result.lower = std::max(result.lower, intrinsic - 8 * kUlp * std::abs(k));
  result.upper = std::max(result.upper, intrinsic);
  return result;
}

double call_of_sum_chernoff(const AtomicLaw& law, double n, double k) {
  if (is_zero(law, n, k)) {
    return std::max(0.0, n * law.mean() - k);
  }
  const double c = saddle(law, n, k);
  return std::exp(n * law.log_mgf(c) - c * k - 1 - std::log(c));
}

}  // namespace muster::numerics
