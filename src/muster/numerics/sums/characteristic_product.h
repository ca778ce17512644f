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

// A bound on the absolute error of the computed chi(t) - 1 for one law, where chi(t) = phi(c+it)/phi(c) and
// phi(z) = E e^{zY}. It is the part of RoundOff (below) that belongs to a single copy of the law.
//
// The bound is used to decide which terms are negligible. A skipped term is charged e^-negligible, so its
// true modulus must not exceed that, and a small computed modulus shows this only up to the error: at angles
// t y of 1e7, a computed modulus of 1e-12 can have an error of 1e-9. Terms that are not skipped do not need
// this bound, because RoundOff times `amplify` covers their errors.
class CharacteristicError {
 public:
  explicit CharacteristicError(const TiltedLaw& tilt)
      : base_(kUlpAbove *
              (tilt.nonzero_mass() * EquispacedCharacteristic::kErrorUlps + std::abs(tilt.log_mgf()) +
               2 * tilt.far_exponent() + 2 * tilt.c() * tilt.absolute_mean())),
        slope_(kUlpAbove * 4 * tilt.absolute_mean()) {}
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

// A bound on the relative round-off of one term phi(c+it)^n e^{-(c+it)k} of the sum over frequencies. The
// logarithm, the exponent, and the angles t k and t y of an atom y each have a relative error of a few ulps.
// An atom's rotations and the sum over atoms add at most kErrorUlps ulps of 1. M = E e^{cY} is computed as 1
// plus a sum over atoms, and cancels where the law has little mass at zero and e^{cy} is small at the other
// atoms. The moduli of that sum's terms add up to at most 2 M p + 1 - M, where p is the tilted law's nonzero
// mass. The kCancelled ulps are for the part 1 - M. They also cover the rounding of the weights, which is the
// error of the mass at zero (AtomicLaw::mass_at_zero). Two ulps of the far exponent are for its three
// roundings in the logarithm of M.
class RoundOff {
 public:
  RoundOff(const TiltedLaw& tilt, double n, double c, double k)
      : base_(!(kUlpAbove * cancelled(tilt, n) < kLost)
                  ? std::numeric_limits<double>::infinity()
                  : kUlpAbove *
                        (n * tilt.nonzero_mass() * EquispacedCharacteristic::kErrorUlps +
                         n * std::abs(tilt.log_mgf()) + 2 * n * tilt.far_exponent() + cancelled(tilt, n) +
                         2 * n * c * tilt.absolute_mean() + c * std::abs(k) + 256)),
        slope_(kUlpAbove * 4 * (n * tilt.absolute_mean() + std::abs(k))) {}
  double at(double t) const { return base_ + slope_ * t; }

 private:
  static constexpr double kCancelled = 20;
  // Errors are added up as if they were small. If cancellation alone may have changed the term by a tenth, no
  // bound is claimed.
  static constexpr double kLost = 0.1;
  static double cancelled(const TiltedLaw& tilt, double n) {
    return n * kCancelled * std::expm1(larger(0.0, -tilt.log_mgf()));
  }
  double base_;
  double slope_;
};

}  // namespace muster::numerics::contour
