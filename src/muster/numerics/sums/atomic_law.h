// A finitely supported law on the line, its moment generating function, and its exponential tilt.
//
// The atom at zero is implicit: weights need not sum to one, and the remaining mass, at 0, takes no
// arithmetic. So the law of a client who reports with probability 1e-4 costs no more, and loses no more
// digits, than that of a client who always reports. A TiltedLaw is immutable, threads may share an
// AtomicLaw while nobody changes it, and an EquispacedCharacteristic belongs to one thread.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <vector>

#include "muster/numerics/enclosure.h"

namespace muster::numerics {

struct AtomicLaw {
  std::vector<double> points;   // the nonzero atoms' points, in any order
  std::vector<double> weights;  // the atoms' weights, >= 0, whose sum is at most 1

  // Adds an atom, unless it is at 0 or its weight is 0 or was made negative by rounding.
  void add(double point, double weight);
  double nonzero_mass() const;  // the sum of the weights; by rounding, it may exceed one
  // Encloses the mass at zero, which is 1 minus the sum of the weights. Where this mass is small, its digits
  // are lost to the rounding of the sum and of each weight. The enclosure covers both, if each weight has a
  // relative error of at most 12 roundings (slack.h); neither end is negative.
  Enclosure mass_at_zero() const;
  double mean() const;
  double absolute_mean() const;  // E|Y|
  double variance() const;
  double largest_point() const;   // the largest point or 0; NaN if a point is NaN
  double smallest_point() const;  // the smallest point or 0; NaN if a point is NaN
  bool finite() const;            // whether all points and weights are finite
  // log E e^{cY} for Y with this law. Its relative error is small even where it is close to zero, as long as
  // c y < 300 for all atoms y.
  double log_mgf(double c) const;
};

// log E e^{cY}, and moments of the tilted law, which has density e^{cy} / E e^{cY} against the law of Y.
// Computing them allocates no memory.
struct Tilt {
  double log_mgf;  // the logarithm of the moment generating function of Y at c
  double mean;
  double variance;
  double absolute_mean;  // E|Y| under the tilted law
  double nonzero_mass;
  // The largest exponent c y if that is 300 or more, and otherwise 0. Such a large exponent is subtracted
  // from all others, so log_mgf then has an error of up to three roundings of it besides its own.
  double far_exponent;
};
Tilt tilt_of(const AtomicLaw& law, double c);

// The tilted law itself: its atoms, its moments and its characteristic function.
class TiltedLaw {
 public:
  TiltedLaw(const AtomicLaw& law, double c);

  double c() const { return c_; }
  double log_mgf() const { return log_mgf_; }
  double mean() const { return mean_; }
  double variance() const { return variance_; }
  // E|Y| under the tilted law, which is a Lipschitz constant of its characteristic function.
  double absolute_mean() const { return absolute_mean_; }
  double nonzero_mass() const { return nonzero_mass_; }
  double far_exponent() const { return far_exponent_; }  // as in Tilt
  std::size_t atoms() const { return points_.size(); }
  const std::vector<double>& points() const { return points_; }
  const std::vector<double>& weights() const { return weights_; }

  // characteristic(t) - 1 = E (e^{itY} - 1) under the tilted law. Its real part is <= 0, and nothing cancels
  // at small t.
  std::complex<double> characteristic_minus_one(double t) const;

 private:
  friend class EquispacedCharacteristic;
  std::vector<double> points_;
  std::vector<double> weights_;
  double c_ = 0;
  double reach_ = 0;  // the largest |y| of an atom
  double log_mgf_ = 0;
  double mean_ = 0;
  double variance_ = 0;
  double absolute_mean_ = 0;
  double nonzero_mass_ = 0;
  double far_exponent_ = 0;
};

// characteristic(t) - 1 of a tilted law at t = 0, step, 2 step, ..., by rotations instead of sines; every
// kResync steps the sines and cosines are computed directly. A new object is at t = 0. Call order, as a
// regular expression: advance* (seek current? advance*)*.
class EquispacedCharacteristic {
 public:
  // Rotations in a row before the sines and cosines are computed directly.
  static constexpr int kResync = 32;
  // A bound on the error of one atom's e^{ity} - 1, in ulps of 1. The sine and the cosine of a step are each
  // within two of their own ulps, which are at most one ulp of 1. The complex product rounds, too, so a
  // rotation adds at most 1.42 + 1.12 < 3 ulps, and 32 rotations add 82. The other 30 ulps are for the sine
  // and cosine before the first rotation (2), the difference from 1 and the product with the weight (2), the
  // weight's own exponential (2) and the sum over m atoms (24). The sum's 5 + log2(m + 64) roundings
  // (atom_kernels.cc) are relative to moduli of at most 2, so each is an ulp of 1, and 24 are enough for
  // 500,000 atoms.
  static constexpr int kErrorUlps = 3 * kResync + 16;

  EquispacedCharacteristic(const TiltedLaw& law, double step);
  // Moves to t = index * step.
  void seek(double index);
  // The value at the t that seek() moved to; not to be called after advance().
  std::complex<double> current() const;
  // Moves one step on and returns the value there.
  std::complex<double> advance();

 private:
  static constexpr std::size_t kLanes = 8;
  double step_;
  double index_ = 0;
  int turns_ = 0;  // number of rotations since the sines were computed
  int ready_ = 0;  // number of values of ahead_ that are still to be returned
  std::array<std::complex<double>, 4> ahead_;
  double reach_ = 0;
  std::vector<double> points_, weights_;
  std::vector<double> cos_, sin_, step_cos_, step_sin_;
};

}  // namespace muster::numerics
