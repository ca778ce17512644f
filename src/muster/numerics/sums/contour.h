// What all inversion integrals along a tilted contour share: the saddle point, a period without aliasing,
// and a walk over the frequencies that leaps over those where the integrand is negligible.
//
// For S a sum of n independent copies of a finitely supported Y, the trapezoidal rule of step 2 pi / P
// along Re z = c replaces E h(S) by the sum over integers m of e^{-cmP} E h(S + mP). For h >= 0 the error
// is one-sided, and the period chosen below makes it negligible too. Used by expected_excess
// (h = (x - k)_+) and by the T-fold composition (h = (1 - e^{eps - x})_+).
#pragma once

#include <cmath>
#include <complex>
#include <initializer_list>
#include <limits>

#include "muster/numerics/ordered.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics::contour {

// Terms below e^-34 of the largest one are bounded, not computed.
inline constexpr double kNegligible = 34;
inline constexpr double kAliases = 22;    // aliases are brought below e^-22 of the answer
inline constexpr double kFloor = 4e-15;   // absolute accuracy of a characteristic function
inline constexpr double kDirectCost = 3;  // cost of a characteristic function computed directly, in rotations

struct Moments {
  double mean;
  double variance;
};

// The zero over c > 0 of (log M)'(c) - k - pole(c), which increases with c. M is the moment generating
// function of the whole sum, and pole(c), the sum of 1/(c + p) over the poles -p of the kernel, is minus
// the derivative of the kernel's logarithm. `moments` gives the mean and the variance of the sum tilted
// by c. Newton's method in log c inside a bracket finds the zero to a relative 1e-3: any c gives a valid
// answer, and a good one a short sum.
template <typename TiltedMoments, typename Pole>
double saddle_point(TiltedMoments&& moments, double k, Pole&& pole) {
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  double c = 1 / std::sqrt(larger(moments(0.0).variance, 1e-300));
  for (int i = 0; i < 200; ++i) {
    const Moments at = moments(c);
    const double value = at.mean - k - pole(c);
    const double pole_slope = (pole(c * (1 - 1e-4)) - pole(c * (1 + 1e-4))) / (2e-4 * c);
    (value > 0 ? high : low) = c;
    double next = c * std::exp(within(-value / ((at.variance + pole_slope) * c), -2.0, 2.0));
    if (!(next > low && next < high)) {
      next = std::isinf(high) ? 4 * low : low == 0 ? high / 8 : std::sqrt(low * high);
    }
    if (!(next > 1e-290 && next < 1e290) || std::abs(next - c) < 1e-3 * c) {
      return within(next, 1e-290, 1e290);
    }
    c = next;
  }
  return c;
}

// The saddle point for n copies of one law.
template <typename Pole>
double saddle_point(const AtomicLaw& law, double n, double k, Pole&& pole) {
  return saddle_point(
      [&](double c) {
        const Tilt tilt = tilt_of(law, c);
        return Moments{n * tilt.mean, n * tilt.variance};
      },
      k, pole);
}

// A period P for which the aliases are at most about e^-22 of an answer of size e^{log_value}, and the
// bound of those on the left: E h(S - mP) <= e^{log_left} e^{-lambda m P} for m >= 1.
struct Period {
  double length;
  double lambda;
  double log_left;

  // An upper bound of the sum over m >= 1 of e^{cmP} E h(S - mP).
  double left_aliases(double c) const {
    const double fall = (lambda - c) * length;
    // One exponential, because either factor alone may exceed the range of a double.
    return std::exp(log_left - fall) / -std::expm1(-fall);
  }
};

// `factors` are the candidates for lambda / c; they should be near 1 where large atoms make the
// generating function rise steeply. log_chernoff(lambda) is the logarithm of a bound on the supremum over
// m of e^{lambda m P} E h(S - mP).
template <typename LogChernoff>
Period choose_period(double c, double log_value, LogChernoff&& log_chernoff,
                     std::initializer_list<double> factors = {1.2, 1.6, 2.5, 5.0},
                     double negligible = kAliases) {
  double right = 40 / c;
  for (int i = 0; i < 4; ++i) {
    right = (negligible + larger(0.0, std::log(right) - log_value)) / c;
  }
  Period best{0, 0, 0};
  bool found = false;
  for (double factor : factors) {
    const double lambda = factor * c;
    const double log_left = log_chernoff(lambda);
    const double length = (negligible + larger(0.0, log_left - log_value)) / (lambda - c);
    if (std::isfinite(length) && (!found || length < best.length)) {
      best = {length, lambda, log_left};
      found = true;
    }
  }
  best.length = larger(best.length, right);
  return best;
}

// Visits the frequencies t = j step for j = 1, 2, ..., last. Where n log|phi(c+it)/phi(c)| - damping(t)
// exceeds -negligible it calls term(j, exponent, phase, amplify): that exponent, n times the argument of
// phi(c+it)/phi(c), and the larger of 1 and 1/|phi(c+it)/phi(c)|, which is the factor by which a
// logarithm amplifies errors. Elsewhere it calls skip(j, count) for a run of frequencies j .. j+count-1,
// each of modulus at most e^-negligible. Returns the last frequency visited, which is less than `last`
// when the work exceeds `budget` (in rotations).
template <typename Damping, typename Term, typename Skip>
double walk(const TiltedLaw& tilt, double n, double step, double last, double negligible, double budget,
            Damping&& damping, Term&& term, Skip&& skip) {
  const double lipschitz = tilt.absolute_mean();
  const double threshold = std::exp(-negligible / n);
  EquispacedCharacteristic characteristic(tilt, step);
  bool in_step = true;  // whether `characteristic` stands at frequency j - 1
  double work = 0;
  double j = 1;
  while (j <= last) {
    const double t = j * step;
    work += in_step ? 1 : kDirectCost;
    if (work > budget) {
      return j - 1;
    }
    std::complex<double> minus_one;
    if (in_step) {
      minus_one = characteristic.advance();
    } else {
      minus_one = tilt.characteristic_minus_one(t);
    }
    const double re = minus_one.real();
    const double im = minus_one.imag();
    // phi is known to an absolute error below kFloor. Near 1 its logarithm is computed from phi - 1,
    // elsewhere from a modulus to which kFloor is added.
    const double modulus = std::sqrt((1 + re) * (1 + re) + im * im) + kFloor;
    if (!(modulus < threshold)) {  // a NaN is not negligible: it reaches the sum
      const double log_modulus =
          modulus > 0.5 ? 0.5 * std::log1p(larger(2 * re + re * re + im * im, -1.0)) : std::log(modulus);
      const double exponent = n * log_modulus - damping(t);
      if (!(exponent <= -negligible)) {
        if (!in_step) {
          characteristic.seek(j);
          in_step = true;
        }
        term(j, exponent, n * std::atan2(im, 1 + re), larger(1.0, 1 / modulus));
        j += 1;
        continue;
      }
    }
    // Up to this distance |phi| <= modulus + lipschitz * distance stays below the threshold.
    const double reach = (threshold - modulus) / lipschitz;
    const double leap = smaller(reach > 0 ? std::floor(reach / step) : 0, last - j);
    skip(j, leap + 1);
    j += leap + 1;
    in_step = in_step && leap == 0;
  }
  return last;
}

// A bound on the relative round-off of one term phi(c+it)^n e^{-(c+it)k}. The logarithm and the exponent
// lose a few ulps of their size, rotations keep an atom's angle to kResync ulps, and the angles t y and
// t k are good to a few ulps of themselves.
class RoundOff {
 public:
  RoundOff(const TiltedLaw& tilt, double n, double c, double k)
      : base_(kUlp *
              (n * tilt.nonzero_mass() * (EquispacedCharacteristic::kResync + 16) +
               n * std::abs(tilt.log_mgf()) + 2 * n * c * tilt.absolute_mean() + c * std::abs(k) + 256)),
        slope_(kUlp * 4 * (n * tilt.absolute_mean() + std::abs(k))) {}
  double at(double t) const { return base_ + slope_ * t; }

 private:
  static constexpr double kUlp = 2.3e-16;
  double base_;
  double slope_;
};

}  // namespace muster::numerics::contour
