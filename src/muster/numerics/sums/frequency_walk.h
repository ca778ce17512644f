// The walk over the frequencies of a trapezoidal sum along a contour: it visits t = step, 2 step, ...,
// computes the terms that matter, and skips frequencies where the integrand is provably negligible.
//
// Every certified inversion integral rests on this walk; the integrand is a parameter. The integrand may be
// computed in step, by rotations from the frequency before, or, after skipped frequencies, directly. Unless
// the budget ends the walk, each frequency j step, j = 1..last, is given either to `term` or, in a range of
// negligible ones, to `skip`, so that the caller can add a bound on that range to the error. Nothing is left
// out silently: a NaN is not negligible and reaches the sum. The walk serves Product
// (characteristic_product.h), the two laws of mixture_samples.cc, and the transforms of losses in
// src/muster/composition. It shares no data, and each walk belongs to one thread, together with its
// integrand.
#pragma once

#include <cmath>
#include <complex>
#include <concepts>

#include "muster/numerics/ordered.h"

namespace muster::numerics::contour {

// A bound on the round-off of the arithmetic with a characteristic function near 1 in modulus: the sum 1 + x,
// the modulus, and the comparison with a threshold take less than 18 units in the last place of 1. The error
// of x itself can be larger, and its bound depends on the law (CharacteristicError).
inline constexpr double kFloor = 4e-15;

// An upper bound of the modulus of 1 + x, where `floor` bounds the absolute error of x and of this function's
// own arithmetic together. With the default, x counts as exact, and the caller allows for its error.
inline double modulus_above(std::complex<double> x, double floor = kFloor) {
  return std::sqrt((1 + x.real()) * (1 + x.real()) + x.imag() * x.imag()) + floor;
}
// The logarithm of the modulus of 1 + x, where `modulus` is modulus_above(x). If `modulus` is above 1/2, the
// result is computed from x, without cancellation; otherwise it is the logarithm of `modulus`.
inline double log_modulus_of(std::complex<double> x, double modulus) {
  const double re = x.real(), im = x.imag();
  return modulus > 0.5 ? 0.5 * std::log1p(larger(2 * re + re * re + im * im, -1.0)) : std::log(modulus);
}
inline double argument_of(std::complex<double> x) { return std::atan2(x.imag(), 1 + x.real()); }

// The object that the walk moves along the frequencies. Call order: (work visit negligible (reach | seek?))*.
template <typename T>
concept Integrand = requires(T integrand, const T& visited, double j, double t, bool in_step) {
  // Computes the integrand at t = j step. If `in_step`, it can be moved there from j - 1: either j is 1, or
  // the previous visit was at j - 1 and was itself in step or was followed by seek(j - 1).
  integrand.visit(j, t, in_step);
  // Whether the term at the visited frequency may be bounded instead of computed; false for a NaN.
  { visited.negligible() } -> std::same_as<bool>;
  // A distance from the visited t within which all terms are negligible, if the term at t is negligible.
  { visited.reach() } -> std::same_as<double>;
  // Prepares the integrand for a visit in step at j + 1.
  integrand.seek(j);
  // The work of a visit, in the units of the budget.
  { visited.work(in_step) } -> std::same_as<double>;
};

// Calls term(j, t) for each visited frequency t = j step that is not negligible, and skip(j, t, leap) for
// each range of negligible ones, numbered j, j + 1, ..., j + leap. Returns the last j that was dealt with,
// which is less than `last` if more would exceed the budget.
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

// Upper bounds of the sum over the frequencies t beyond last * step, if a term's modulus is at most the
// kernel's modulus times 2 e^{-(s t)^2 / 2}, where the smoothing gives the exponential. This product falls
// with t, so its sum is at most its first term plus its integral divided by `step`.
struct Beyond {
  double excess;   // the bound for the kernel 1/z^2
  double density;  // the bound for the kernel 1
};
inline Beyond beyond(double last, double step, double s) {
  const double t = (last + 1) * step;
  const double rest = 2 * std::exp(-0.5 * s * s * t * t);
  return {rest * (1 / (step * t) + 1 / (t * t)), rest * (1 / (step * s * s * t) + 1)};
}

}  // namespace muster::numerics::contour
