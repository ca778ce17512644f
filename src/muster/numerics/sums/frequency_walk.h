// The walk over the frequencies of a trapezoidal sum along a contour: it visits t = step, 2 step, ...,
// computes the terms that matter, and leaps over frequencies where the integrand is provably negligible.
//
// Every certified inversion integral rests on it, whatever it integrates: the integrand is a parameter.
// It is moved from one frequency to the next, either in step, by rotations, or, after a leap, directly.
// Each frequency from 1 to `last` is given either to `term` or, in a run of negligible ones, to `skip`,
// so that the caller can charge the run's bound to its error. Nothing is left out silently: a NaN is not
// negligible and reaches the sum. Used with Product (characteristic_product.h), with the two laws of
// mixture_samples.cc, and with the transforms of losses in the room composition. Nothing is shared: a walk
// belongs to one thread, together with its integrand.
#pragma once

#include <cmath>
#include <complex>
#include <concepts>

#include "muster/numerics/ordered.h"

namespace muster::numerics::contour {

inline constexpr double kFloor = 4e-15;  // absolute accuracy of a characteristic function

// An upper bound of the modulus of a characteristic function 1 + x, of which x is known to an absolute
// error below `floor`.
inline double modulus_above(std::complex<double> x, double floor = kFloor) {
  return std::sqrt((1 + x.real()) * (1 + x.real()) + x.imag() * x.imag()) + floor;
}
// The logarithm of the modulus of 1 + x, where `modulus` is modulus_above(x): near 1 it is computed from x
// and does not cancel, elsewhere it is that of the upper bound.
inline double log_modulus_of(std::complex<double> x, double modulus) {
  const double re = x.real(), im = x.imag();
  return modulus > 0.5 ? 0.5 * std::log1p(larger(2 * re + re * re + im * im, -1.0)) : std::log(modulus);
}
inline double argument_of(std::complex<double> x) { return std::atan2(x.imag(), 1 + x.real()); }

// What the walk moves along the frequencies. Call order: (work visit negligible (reach | seek?))*.
template <typename T>
concept Integrand = requires(T integrand, const T& visited, double j, double t, bool in_step) {
  // Computes the integrand at t = j step; `in_step`: the frequency visited last was j - 1, or j is 1, or
  // seek(j - 1) was called.
  integrand.visit(j, t, in_step);
  // Whether the term at the visited frequency may be bounded instead of computed; false for a NaN.
  { visited.negligible() } -> std::same_as<bool>;
  // If that term is negligible: the distance from t within which all other terms are negligible, too.
  { visited.reach() } -> std::same_as<double>;
  // Prepares for going on in step from j.
  integrand.seek(j);
  // The work of a visit, in the units of the budget.
  { visited.work(in_step) } -> std::same_as<double>;
};

// Calls term(j, t) after each visit that is not negligible, and skip(j, t, leap) for each run of
// negligible frequencies j, j + 1, ..., j + leap; t = j step. Returns the last frequency visited, which is
// less than `last` where the work exceeds `budget`.
template <Integrand Walked, typename Term, typename Skip>
double walk(Walked& integrand, double step, double last, double budget, Term&& term, Skip&& skip) {
  bool in_step = true;
  double work = 0;
  for (double j = 1; j <= last;) {
    work += integrand.work(in_step);
    if (work > budget) {
      return j - 1;
    }
    const double t = j * step;
    integrand.visit(j, t, in_step);
    if (!integrand.negligible()) {
      if (!in_step) {
        integrand.seek(j);
        in_step = true;
      }
      term(j, t);
      j += 1;
      continue;
    }
    const double reach = integrand.reach();
    const double leap = smaller(reach > 0 ? std::floor(reach / step) : 0, last - j);
    skip(j, t, leap);
    j += leap + 1;
    in_step = in_step && leap == 0;
  }
  return last;
}

// Upper bounds of what the frequencies beyond `last` add, where the integrand has at most the modulus
// 2 e^{-(s t)^2 / 2}, the smoothing's, times the kernel's. That falls, and its sum is at most its first
// term plus its integral.
struct Beyond {
  double excess;   // for the kernel 1/z^2
  double density;  // for the kernel 1
};
inline Beyond beyond(double last, double step, double s) {
  const double t = (last + 1) * step;
  const double rest = 2 * std::exp(-0.5 * s * s * t * t);
  return {rest * (1 / (step * t) + 1 / (t * t)), rest * (1 / (step * s * s * t) + 1)};
}

}  // namespace muster::numerics::contour
