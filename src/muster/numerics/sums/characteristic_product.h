// The product of several laws' characteristic functions on a contour, each raised to a number of copies:
// the integrand of frequency_walk.h for a sum of independent terms.
#pragma once

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "muster/numerics/ordered.h"
#include "muster/numerics/sums/atomic_law.h"
#include "muster/numerics/sums/frequency_walk.h"

namespace muster::numerics::contour {

// phi(c+it)/phi(c), with phi the transform of one term, raised to `copies`. The law is referred to.
struct Factor {
  Factor(const TiltedLaw& law, double copies_of_it, double step, double negligible)
      : tilt(law),
        copies(copies_of_it),
        threshold(std::exp(-negligible / copies_of_it)),
        characteristic(law, step) {}
  const TiltedLaw& tilt;
  double copies;
  // Where the modulus is below this, that of the power is below e^-negligible.
  double threshold;
  EquispacedCharacteristic characteristic;
  // At the frequency visited last.
  std::complex<double> minus_one{};
  double modulus = 1;
};

// The modulus and the argument of a product so far, at one frequency.
struct Polar {
  double exponent;  // logarithm of the modulus
  double phase = 0;
  // The larger of 1 and the inverse moduli of the factors, by which logarithms amplify their errors.
  double amplify = 1;

  // Two parts of the multiplication by (1 + x)^copies, where `modulus` is modulus_above(x); the second takes
  // an arctangent and is not needed where the first makes the product negligible.
  void multiply_modulus(std::complex<double> x, double modulus, double copies) {
    exponent += copies * log_modulus_of(x, modulus);
  }
  void multiply_phase(std::complex<double> x, double modulus, double copies) {
    phase += copies * argument_of(x);
    amplify = larger(amplify, 1 / modulus);
  }
};

// How far frequencies are skipped where the product is negligible, by the factors' Lipschitz
// constants: as far as some factor alone is small enough, or as far as all together are, which takes more
// arithmetic and is farther where none is small alone. For one factor it is the same.
enum class Skip { by_one_factor, by_all_factors };

class Product {
 public:
  // Starts with e^{-(st)^2 / 2} alone, the transform of a smoothing of deviation s. Terms of modulus at
  // most e^-negligible are negligible.
  Product(double s, double negligible, Skip skip) : s_(s), negligible_exponent_(negligible), skip_(skip) {}

  // Before the walk: multiplies by the law's factor for `copies`. The law is referred to.
  void add(const TiltedLaw& law, double copies, double step) {
    factors_.emplace_back(law, copies, step, negligible_exponent_);
  }

  static double work(bool in_step) { return in_step ? 1 : kDirectCost; }

  void visit(double, double t, bool in_step) {
    for (Factor& f : factors_) {
      f.minus_one = in_step ? f.characteristic.advance() : f.tilt.characteristic_minus_one(t);
      f.modulus = modulus_above(f.minus_one);
    }
    // The modulus of a single factor, which is an upper bound, decides without a logarithm.
    negligible_ = factors_.size() == 1 && factors_.front().modulus < factors_.front().threshold;
    if (negligible_) return;
    at_ = {-0.5 * s_ * s_ * t * t};
    for (const Factor& f : factors_) {
      at_.multiply_modulus(f.minus_one, f.modulus, f.copies);
    }
    negligible_ = at_.exponent <= -negligible_exponent_;
    if (negligible_) return;
    for (const Factor& f : factors_) {
      at_.multiply_phase(f.minus_one, f.modulus, f.copies);
    }
  }
  bool negligible() const { return negligible_; }
  // Where it is not negligible.
  const Polar& at() const { return at_; }

  void seek(double j) {
    for (Factor& f : factors_) {
      f.characteristic.seek(j);
    }
  }

  // |phi| is at most f.modulus + f.tilt.absolute_mean() * distance.
  double reach() const { return skip_ == Skip::by_one_factor ? reach_of_one() : reach_of_all(); }

 private:
  // The work of a frequency that is computed directly, in rotations.
  static constexpr double kDirectCost = 3;

  double reach_of_one() const {
    double reach = 0;
    for (const Factor& f : factors_) {
      reach = larger(reach, (f.threshold - f.modulus) / f.tilt.absolute_mean());
    }
    return reach;
  }
  double reach_of_all() const {
    if (factors_.size() == 1) return reach_of_one();
    const auto bound = [&](double distance) {
      double exponent = 0;
      for (const Factor& f : factors_) {
        exponent += f.copies * std::log(smaller(1.0, f.modulus + f.tilt.absolute_mean() * distance));
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
