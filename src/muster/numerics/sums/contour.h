// The parts that all inversion integrals along a line Re z = c share: the choice of c, which is the saddle
// point, and the choice of a period for which aliases are negligible. frequency_walk.h sums over the
// frequencies.
//
// Let S be a sum of n independent copies of a finitely supported Y, and h a function. The trapezoidal rule of
// step 2 pi / P along Re z = c replaces E h(S) by the sum over integers m of e^{-cmP} E h(S + mP). The terms
// with m != 0 are called aliases, and P is the period. For h >= 0 the aliases are nonnegative, and
// choose_period() makes them negligible. These functions serve expected_excess (h(x) = (x - k)_+) and the
// composition of rounds (h(x) = (1 - e^{eps - x})_+). They are pure; call from any thread.
#pragma once

#include <cmath>
#include <initializer_list>
#include <limits>

#include "muster/numerics/ordered.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics::contour {

// Aliases are brought below e^-22 = 3e-10 of the answer, well below what the finest smoothing adds (5e-6);
// the number of frequencies is about proportional to this exponent.
inline constexpr double kAliases = 22;

struct Moments {
  double mean;
  double variance;
};

// The saddle point: the zero c > 0 of (log M)'(c) - k - pole(c), which increases with c. M is the moment
// generating function of the whole sum. The kernel is the factor that h contributes to the integrand, such as
// 1/z^2; pole(c), the sum of 1/(c + p) over the kernel's poles -p, is minus the derivative of the kernel's
// logarithm. `moments(c)` returns the mean and the variance of the sum's law tilted by c. Newton's method in
// log c inside a bracket finds the zero to a relative 1e-3. This is enough, because every c > 0 gives a valid
// answer, and for every c near the zero few frequencies matter.
template <typename TiltedMoments, typename Pole>
double saddle_point(TiltedMoments&& moments, double k, Pole&& pole) {
  constexpr double kStep = 1e-4;  // relative step of the difference quotient that replaces pole's derivative
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  double c = 1 / std::sqrt(larger(moments(0.0).variance, 1e-300));
  for (int i = 0; i < 200; ++i) {
    const Moments at = moments(c);
    const double value = at.mean - k - pole(c);
    const double pole_slope = (pole(c * (1 - kStep)) - pole(c * (1 + kStep))) / (2 * kStep * c);
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

// A period P (`length`), and a bound on the aliases with negative shifts:
// E h(S - mP) <= e^{log_left} e^{-lambda m P} for m >= 1.
struct Period {
  double length;
  double lambda;
  double log_left;

  // An upper bound of the sum over m >= 1 of e^{cmP} E h(S - mP); infinite if lambda is not above c.
  double left_aliases(double c) const {
    if (!(lambda > c)) return std::numeric_limits<double>::infinity();
    const double fall = (lambda - c) * length;
    // A single exponential, because e^{log_left} and e^{-fall} may each be out of a double's range.
    return std::exp(log_left - fall) / -std::expm1(-fall);
  }

  // An upper bound of the sum of all aliases of E(S + Z - k)_+ for a normal Z of standard deviation s;
  // `upper` is an upper bound of that expectation. Shifts by mP with m > 0 are bounded by
  // E(S + Z - k + mP)_+ <= upper + mP. For m < 0 the bound without Z is multiplied by E e^{lambda Z}.
  double aliases_of_excess(double c, double s, double upper) const {
    const double decay = std::exp(-c * length);
    const double smoothing = std::exp(0.5 * s * s * lambda * lambda);
    return upper * decay / (1 - decay) + length * decay / ((1 - decay) * (1 - decay)) +
           left_aliases(c) * smoothing;
  }
};

// The shortest period found for which the aliases are at most about e^-negligible of an answer of size
// e^{log_value}. `factors` are the candidates for lambda / c; they should be near 1 where large atoms make
// the generating function rise steeply. log_chernoff(lambda) is the logarithm of a number that is at least
// e^{lambda m P} E h(S - mP) for all m and P.
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

}  // namespace muster::numerics::contour
