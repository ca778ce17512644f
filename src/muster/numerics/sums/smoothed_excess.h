// Turns a trapezoidal sum along a contour, whose integrand is smoothed by a normal variable, into an
// enclosure of E(S - k)_+.
//
// The trapezoidal sum errs upward: its aliases are nonnegative, and by Jensen's inequality smoothing adds to
// it. For the lower end, bounds on the aliases and on what smoothing adds are subtracted; expected_excess.h
// has the inequalities. These functions serve excess_by_contour.cc, which integrates one law,
// excess_of_mixed_sum.cc, which integrates several, and worst_mixture.cc. They are pure; call from any
// thread.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

#include "muster/numerics/enclosure.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/atomic_law.h"
#include "muster/numerics/sums/contour.h"
#include "muster/numerics/sums/frequency_walk.h"
#include "muster/numerics/work.h"

namespace muster::numerics::contour {

// A trapezoidal sum and its errors, in units of e^{log_scale}, the size that its integrand was divided by.
struct SmoothedSum {
  double value;
  double error;    // bound on |error of value|, from skipped terms, truncation and round-off
  double density;  // upper bound on the density of S + Z at k, for the smoothing Z
  double visited;  // share of the frequencies visited within the budget; below 1, all else is invalid
};

// A trapezoidal sum over all frequencies up to some last one, before it is multiplied by step / 2 pi and by
// the constant factor e^{(s c)^2 / 2} of the smoothing. `noise` bounds the round-off of `value`; `density` is
// an upper bound of the same sum without the kernel 1/z^2.
struct TermSums {
  double value, noise, density;
  double skipped;  // an upper bound of the sum of the moduli of the terms left out so far
};

// Adds bounds on the terms beyond the frequency last * step, and multiplies by the missing factors.
inline SmoothedSum scaled(const TermSums& sums, double last, double step, double c, double s, double period) {
  const Beyond rest = beyond(last, step, s);
  const double skipped = sums.skipped + rest.excess, density = sums.density + rest.density;
  const double scale = std::exp(0.5 * s * s * c * c) / period;
  return {sums.value * scale, (skipped + sums.noise) * scale, larger(0.0, density) * scale, 1};
}

// Relative margin of 128 roundings (slack.h) for the operations that turn a trapezoidal sum into an
// enclosure. The step 2 pi / P takes two, `scale` at most four for its exponential and its quotient, and the
// product with it one. The sum of value and error takes one, e^{log_scale} two (`error` covers its exponent,
// see RoundOff), and the two products with them two. That is 12; the others are left for the terms that are
// subtracted for the lower end:
// - the aliases are below e^-16 of the value by the choice of the period, so a relative error of 1e-7 of
//   their bound, such as that of its exponents, is less than 1e-14 of the value;
// - the density has a margin of its own. A term takes some twenty roundings, and the product with s^2 and the
//   scales takes six; RoundOff charges at least 512 roundings of the terms' moduli. smoothed_sum() adds the
//   roundings of the additions.
inline constexpr double kOutward = 128 * kUnitRoundoff;
// If log_scale is below this, a result is computed by way of its logarithm.
inline constexpr double kLeastLogScale = -600;

// Whether 1/z^2 and the squares of smoothings along Re z = c stay within the range of a double.
inline bool is_in_range(double c) { return c > 1e-140 && c < 1e140; }

// The term size e^{i angle} / z^2 at z = c + it: its real part, its modulus, and the cosine of `angle`. With
// z = c (1 + i slope), |z|^4 need not be computed, which leaves the range of a double long before 1/z^2 does.
// The arithmetic is real, because with std::complex it would take a quarter of an integral's time.
struct SquareTerm {
  double real, modulus, cosine;
  SquareTerm(double size, double angle, double c, double t) : cosine(std::cos(angle)) {
    // From about this angle on, the C library reduces angles with many digits of pi.
    constexpr double kFar = 1e8;
    if (std::abs(angle) > kFar) count_work(1, kWorkOfFarSine, 0);
    const double slope = t / c;
    const double inverse = 1 / (1 + slope * slope);
    modulus = size * (1 / (c * c)) * inverse;
    real = modulus * inverse * ((1 - slope * slope) * cosine + 2 * slope * std::sin(angle));
  }
};

// A lower bound of E(S - k)_+, which may be negative. `upper` is an upper bound of E(S + Z - k)_+, and
// `scale` is e^{log_scale}.
inline double lower_without_smoothing(const SmoothedSum& sum, double scale, double c, double s,
                                      const Period& period, double upper) {
  return (sum.value - sum.error) * scale * (1 - kOutward) - s * s * sum.density * scale -
         period.aliases_of_excess(c, s, upper);
}

// The frequencies of a trapezoidal sum with smoothing of deviation s: the multiples of `step` up to last *
// step, beyond which smoothing multiplies terms by at most e^{-cut^2 / 2}.
struct Frequencies {
  double period, s, step, last;
  Frequencies(double length, double deviation, double cut)
      : period(length), s(deviation), step(2 * std::numbers::pi / period), last(std::floor(cut / s / step)) {}
};

// The trapezoidal sum for E(S - k)_+ along Re z = c. `product` is the characteristic function of S, whose
// factors have been added for frequencies.step; a term that it calls negligible is below e^-negligible of the
// largest one. round_off.at(t) bounds the relative round-off of the term at t (RoundOff). The sum is invalid
// (SmoothedSum::visited) if it needs more work than `budget`, in the unit of product.work().
template <Integrand Factors, typename RoundOffAt>
SmoothedSum smoothed_sum(Factors& product, const RoundOffAt& round_off, double k, double c,
                         const Frequencies& frequencies, double negligible, double budget) {
  const double s = frequencies.s;
  double value = 1 / (c * c);  // the term of frequency 0
  double noise = value * round_off.at(0);
  double density = 1 + round_off.at(0);
  double skipped = 0;
  const double visited = walk(
      product, frequencies.step, frequencies.last, budget,
      [&](double, double t) {
        const auto& at = product.at();  // a Polar
        const double size = 2 * std::exp(at.exponent);
        const double angle = at.phase - t * k + s * s * c * t;
        const SquareTerm term(size, angle, c, t);
        value += term.real;
        const double relative = round_off.at(t) * at.amplify;
        // Each addition takes a rounding of its result.
        noise += term.modulus * relative + kUnitRoundoff * std::abs(value);
        density += size * (term.cosine + relative) + kUnitRoundoff * std::abs(density);
      },
      [&](double, double t, double leap) {
        const double each = 2 * std::exp(-negligible);
        skipped += each * (leap + 1) / (t * t);
        density += each * (leap + 1);
      });
  if (visited < frequencies.last) return {0, 0, 0, visited / frequencies.last};
  return scaled({value, noise, density, skipped}, frequencies.last, frequencies.step, c, s,
                frequencies.period);
}

// The enclosure of E(S - k)_+ from the sum with smoothing of deviation s along Re z = c.
inline Enclosure without_smoothing(const SmoothedSum& sum, double log_scale, double c, double s,
                                   const Period& period) {
  const double size = larger(sum.value, 0.0) + sum.error;
  if (log_scale < kLeastLogScale) {
    // e^{log_scale} may be below the range of a double although its product with `size` is not.
    return {0, std::exp(log_scale + std::log(size)) * (1 + kEightMillionRoundings) +
                   std::numeric_limits<double>::min()};
  }
  const double scale = std::exp(log_scale);
  const double upper = size * scale * (1 + kOutward);
  return {larger(0.0, lower_without_smoothing(sum, scale, c, s, period, upper)), upper};
}

// Jensen's lower bound (E S - k)_+ of E(S - k)_+ for a sum S of independent terms. If S never exceeds k or is
// always 0, this bound is E(S - k)_+ itself, and value() encloses it; otherwise only the lower end of value()
// is a proven bound. raise() raises both ends of an enclosure of E(S - k)_+ to at least those of value().
class Jensen {
 public:
  // For a sum of two laws, the two calls of add() and the subtraction in value() take three roundings of k;
  // the 16 allowed here are enough for more laws.
  explicit Jensen(double k) : k_(k), difference_(-k), rounding_(8 * kUlp * std::abs(k)) {}
  // Adds `copies` terms of this law, each multiplied by `scale` >= 0.
  void add(const AtomicLaw& law, double scale, double copies) {
    const auto atoms = static_cast<double>(law.points.size());
    difference_ += copies * scale * law.mean();
    // The mean of m atoms takes m roundings of the mean modulus, the two products two, and this and later
    // additions one each, as for k. For a sum of two laws, these are at most m + 5, and 2 m + 16 are allowed.
    rounding_ += copies * scale * law.absolute_mean() * (atoms + 8) * kUlp;
  }
  Enclosure value() const { return {larger(0.0, difference_ - rounding_), larger(0.0, difference_)}; }
  // value() for a sum that is at most `top`, where the computed `top` <= k took up to seven roundings. If
  // `top` is within these roundings of k, the sum may exceed k by as much, which the upper end allows for.
  Enclosure unexceeded(double top) const {
    const Enclosure own = value();
    const double rounding = kEightRoundings * std::abs(top);
    return top + rounding > k_ ? Enclosure{own.lower, own.upper + rounding} : own;
  }
  Enclosure raise(const Enclosure& ends) const {
    return {larger(ends.lower, value().lower), larger(ends.upper, value().upper)};
  }

 private:
  double k_;
  double difference_;  // E S - k
  double rounding_;    // a bound on the error of difference_, if add() was called at most ten times
};

}  // namespace muster::numerics::contour
