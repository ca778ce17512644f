// The product of several laws' characteristic functions on a contour, each raised to its number of copies. It
// is the integrand that frequency_walk.h walks along for a sum of independent terms. A Product belongs to one
// thread; the error bounds are immutable and may be shared between threads.
#pragma once

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/atomic_law.h"
#include "muster/numerics/sums/frequency_walk.h"

namespace muster::numerics::contour {

// These two functions together bound the error of M = E e^{cY}, in ulps of M, that comes from the sum over
// atoms and from the rounding of the law's weights. M is computed as 1 plus the sum of w (e^{cy} - 1). This
// sum cancels where the law has little mass at zero and e^{cy} is small at the other atoms. With p the tilted
// law's nonzero mass and d = c E|Y| under it, the terms' moduli add up to at most 2 M min(p, d) + 1 - M
// (excess_bounds.cc). The sum over m atoms takes 12 + log2(m + 64) roundings (slack.h) of these moduli, which
// are 31 for m = 500,000. So the part 2 M min(p, d) takes at most 31 ulps of M min(p, d). The part 1 - M
// takes half as many ulps of itself, and six more for weights that are wrong by 12 roundings
// (AtomicLaw::mass_at_zero): at most 20 for m = 2^15.
inline double ulps_of_sum(const TiltedLaw& tilt) {
  return 32 * smaller(tilt.nonzero_mass(), std::abs(tilt.c()) * tilt.absolute_mean());
}
inline double ulps_of_cancellation(const TiltedLaw& tilt) {
  return 20 * std::expm1(larger(0.0, -tilt.log_mgf()));
}

// A bound on the absolute error of the computed chi(t) - 1 for one law, where chi(t) = phi(c+it)/phi(c) and
// phi(z) = E e^{zY}. It is the part of RoundOff (below) that belongs to a single copy of the law.
//
// The bound is used to decide which terms are negligible. A skipped term is charged e^-negligible, so its
// true modulus must not exceed that, and a small computed modulus shows this only up to the error: at angles
// t y of 1e7, a computed modulus of 1e-12 can have an error of 1e-9. Terms that are not skipped do not need
// this bound, because RoundOff times `amplify` covers their errors.
//
// Let M, p and d be as above, L = log M, and T the tilted law's far_exponent(). The tilted weight of an atom
// y has two errors:
// - the rounding of c y and of c y - L changes it by 2 |cy| + |L| roundings. Multiplied by |e^{ity} - 1| <= 2
//   and added up over the atoms, these are at most two ulps of d and one of |L|;
// - the error of L consists of ulps_of_sum(), ulps_of_cancellation(), two roundings of d, three of |L| and
//   three of T (log_mgf_error in composition/loss_integral.h). Multiplied by |chi - 1| <= 2, these are twice
//   ulps_of_sum() and ulps_of_cancellation(), two ulps of d, and three each of |L| and T.
// Besides, an atom's rotations and the sum over atoms take kErrorUlps of its weight, and its angle takes at
// most six roundings of t y (see RoundOff).
class CharacteristicError {
 public:
  explicit CharacteristicError(const TiltedLaw& tilt)
      // The summands are for an atom's rotations, the sum for M, and the exponents.
      : base_(kUlpAbove * (tilt.nonzero_mass() * EquispacedCharacteristic::kErrorUlps +
                           2 * (ulps_of_sum(tilt) + ulps_of_cancellation(tilt)) +
                           4 * (std::abs(tilt.log_mgf()) + tilt.far_exponent() +
                                std::abs(tilt.c()) * tilt.absolute_mean()))),
        slope_(kUlpAbove * 4 * tilt.absolute_mean()) {}  // six of these eight roundings are needed
  double at(double t) const { return base_ + slope_ * t; }

 private:
  double base_;
  double slope_;
};

// phi(c+it)/phi(c) raised to the power `copies`, with phi(z) = E e^{zY} for the law of one term Y. The law is
// not copied and must outlive the factor.
struct Factor {
  Factor(const TiltedLaw& law, double copies_of_it, double step, double negligible)
      : tilt(law),
        copies(copies_of_it),
        threshold(std::exp(-negligible / copies_of_it)),
        characteristic(law, step),
        error(law) {}
  const TiltedLaw& tilt;
  double copies;
  // Where the modulus of phi(c+it)/phi(c) is below this threshold, the modulus of its power is below
  // e^-negligible.
  double threshold;
  EquispacedCharacteristic characteristic;
  CharacteristicError error;
  // These three are for the frequency t visited last: phi(c+it)/phi(c) - 1 as computed, modulus_above() of
  // that, and an upper bound of the true modulus of phi(c+it)/phi(c).
  std::complex<double> minus_one{};
  double modulus = 1, at_most = 1;
};

// The modulus and the argument, at one frequency, of a product that is built up factor by factor.
struct Polar {
  double exponent;  // the logarithm of the product's modulus
  double phase = 0;
  // The most by which a logarithm amplifies a factor's error: the largest of 1 and the inverse moduli of the
  // factors.
  double amplify = 1;

  // These two functions together multiply the product by (1 + x)^copies, where `modulus` is modulus_above(x).
  // The second one takes an arctangent and is not needed where the first one makes the product negligible.
  void multiply_modulus(std::complex<double> x, double modulus, double copies) {
    exponent += copies * log_modulus_of(x, modulus);
  }
  void multiply_phase(std::complex<double> x, double modulus, double copies) {
    phase += copies * argument_of(x);
    amplify = larger(amplify, 1 / modulus);
  }
};

// How far the walk skips frequencies after one where the product is negligible. Both ways use the factors'
// Lipschitz constants. by_one_factor skips as long as a single factor, the most favourable one, keeps the
// product negligible. by_all_factors skips as long as all factors together do, which takes more arithmetic
// and reaches farther where no single factor is small. If there is only one factor, both ways are the same.
enum class Skip { by_one_factor, by_all_factors };

class Product {
 public:
  // Starts as e^{-(st)^2 / 2}, the characteristic function of a normal smoothing of deviation s. Terms of
  // modulus at most e^-negligible may be bounded instead of computed.
  Product(double s, double negligible, Skip skip) : s_(s), negligible_exponent_(negligible), skip_(skip) {}

  // Multiplies by the factor of `copies` copies of the law, which must outlive the product. `step` is the
  // distance of successive frequencies. Call it before the walk.
  void add(const TiltedLaw& law, double copies, double step) {
    factors_.emplace_back(law, copies, step, negligible_exponent_);
  }

  static double work(bool in_step) { return in_step ? 1 : kDirectCost; }

  void visit(double, double t, bool in_step) {
    for (Factor& f : factors_) {
      f.minus_one = in_step ? f.characteristic.advance() : f.tilt.characteristic_minus_one(t);
      f.modulus = modulus_above(f.minus_one);
      f.at_most = f.modulus + f.error.at(t);
    }
    // If there is a single factor, the upper bound of its modulus can decide without a logarithm.
    negligible_ = factors_.size() == 1 && factors_.front().at_most < factors_.front().threshold;
    if (negligible_) return;
    at_ = {-0.5 * s_ * s_ * t * t};
    // The most by which the computed exponent may be below the true one. A factor with the computed modulus m
    // and an error of at most e contributes e/m per copy, because log(m + e) <= log m + e/m.
    double doubt = 0;
    for (const Factor& f : factors_) {
      at_.multiply_modulus(f.minus_one, f.modulus, f.copies);
      doubt += f.copies * (f.error.at(t) / f.modulus);
    }
    negligible_ = at_.exponent + doubt <= -negligible_exponent_;
    if (negligible_) return;
    for (const Factor& f : factors_) {
      at_.multiply_phase(f.minus_one, f.modulus, f.copies);
    }
  }
  bool negligible() const { return negligible_; }
  // The product at the frequency visited last, if it is not negligible there.
  const Polar& at() const { return at_; }

  void seek(double j) {
    for (Factor& f : factors_) {
      f.characteristic.seek(j);
    }
  }

  // A distance from the frequency visited last within which all terms are negligible. At a distance d, the
  // modulus of a factor f (not yet raised to a power) is at most f.at_most + f.tilt.absolute_mean() * d. The
  // slack is for the rounding of that mean and of the distance.
  double reach() const {
    return (skip_ == Skip::by_one_factor ? reach_of_one() : reach_of_all()) * (1 - kEightyRoundings);
  }

 private:
  // The work of a frequency that is computed directly, in units of the work of a rotation.
  static constexpr double kDirectCost = 3;

  double reach_of_one() const {
    double reach = 0;
    for (const Factor& f : factors_) {
      reach = larger(reach, (f.threshold - f.at_most) / f.tilt.absolute_mean());
    }
    return reach;
  }
  double reach_of_all() const {
    if (factors_.size() == 1) return reach_of_one();
    const auto bound = [&](double distance) {
      double exponent = 0;
      for (const Factor& f : factors_) {
        exponent += f.copies * std::log(smaller(1.0, f.at_most + f.tilt.absolute_mean() * distance));
      }
      return exponent;
    };
    if (bound(0) > -negligible_exponent_) return 0;
    double high = std::numeric_limits<double>::infinity();
    for (const Factor& f : factors_) {
      high = smaller(high, 2 / f.tilt.absolute_mean());
    }
    double low = 0;
    for (int i = 0; i < 8; ++i) {
      const double middle = 0.5 * (low + high);
      (bound(middle) <= -negligible_exponent_ ? low : high) = middle;
    }
    return low;
  }

  std::vector<Factor> factors_;
  double s_;
  double negligible_exponent_;
  Skip skip_;
  Polar at_{0};
  bool negligible_ = false;
};

// A bound on the relative round-off of one term phi(c+it)^n e^{-(c+it)k} of the sum over frequencies, to be
// multiplied by `amplify` (Polar). One copy of phi is wrong by at most the following ulps, in units of M = E
// e^{cY}. In this list, p is the tilted law's nonzero mass, d = c E|Y| under the tilted law, L = log M, and T
// is the tilted law's far_exponent():
// - kErrorUlps for an atom's rotations and the sum over atoms, times p. For 8,202 atoms, six of these ulps
//   are to spare. They are for the argument of log1p, the squared modulus less 1. It takes 12 roundings of p,
//   which the logarithm amplifies by 1 / (2 modulus^2), where the modulus is at least 1/2;
// - ulps_of_sum() and ulps_of_cancellation();
// - two of d, which are four roundings. A tilted weight and M share the rounding of c y, which is one
//   rounding of d. The rounding of c y - L is one of |cy| + |L|. Multiplied by |e^{ity} - 1| <= 2, it makes
//   two of d. Where T is not 0, the rounding of c y - T is one of |cy| + T, which makes one of d;
// - four of |L|: one for c y - L, one and a half for the logarithm and its sum with T, and one for the
//   product n L and for n L - ck;
// - two of T, which are four roundings: three in the logarithm of M, and that of c y - T.
// The product c k and its subtraction take an ulp of c k.
//
// A modulus below 1/2 is raised by kFloor, which is 18 ulps, in each of the n copies. From 64 copies on, such
// a term is negligible. The other 256 ulps are for what does not grow with n: the logarithm of the term's
// modulus, which is at most 36 and takes five roundings of itself, the exponential, the kernel, and the
// smoothing's phase.
//
// The slope is 16 roundings of n t E|Y| and of t |k|. A frequency takes four, and its product with y two more
// (one of them by a rotation). The angle of phi, which is at most pi / 2 times t E|Y| (relative to phi),
// takes three for the arctangent and its argument, and three for the product with n and two sums. Together
// these are 15.5 of the first, and seven of t |k|.
class RoundOff {
 public:
  RoundOff(const TiltedLaw& tilt, double n, double c, double k)
      // The ulps are those of the list above, in its order.
      : base_(!(kUlpAbove * n * ulps_of_cancellation(tilt) < kLost)
                  ? std::numeric_limits<double>::infinity()
                  : kUlpAbove *
                        (n * (tilt.nonzero_mass() * EquispacedCharacteristic::kErrorUlps + ulps_of_sum(tilt) +
                              ulps_of_cancellation(tilt) + 2 * c * tilt.absolute_mean() +
                              4 * std::abs(tilt.log_mgf()) + 2 * tilt.far_exponent()) +
                         c * std::abs(k) + 20 * smaller(n, 64.0) + 256)),
        slope_(kUlpAbove * 8 * (n * tilt.absolute_mean() + std::abs(k))) {}  // 16 roundings, see above
  double at(double t) const { return base_ + slope_ * t; }

 private:
  // Errors are added up as if they were small. If cancellation alone may have changed the term by a tenth, no
  // bound is claimed.
  static constexpr double kLost = 0.1;
  double base_;
  double slope_;
};

}  // namespace muster::numerics::contour
