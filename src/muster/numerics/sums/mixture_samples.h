// The frequencies of worst_mixture.cc: two laws on one contour, what counts of
// their products, and how much is left out.
//
// Internal to that file. Along z = c + it, with phi_j = E e^{zY_j} and kernel = e^{-zk + s^2 z^2 / 2} / z^2
// times the step over 2 pi, a product of h factors phi_0 and n - h factors phi_1 sums to the trapezoidal
// value of E(S_h - k)_+ for every h (docs/theory/class-c.md). Pure functions of values; call from any thread.
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "muster/numerics/sums/atomic_law.h"
#include "muster/numerics/sums/contour.h"

namespace muster::numerics::mixture {

inline constexpr double kFinest = 3e-3, kCoarsest = 6e-2;  // smoothing s, in units of 1/c
inline constexpr double kAffordable = 2000;                // frequencies
inline constexpr double kEveryType = 256;  // up to here each V may be computed, not only bounded by chords

// One law on the common contour. Of a few atoms the sines are computed one by one,
// without the vector kernels of TiltedLaw.
struct Side {
  Side(const AtomicLaw& law, double c);
  // chi(t) - 1 = phi(c + it)/phi(c) - 1.
  std::complex<double> characteristic_minus_one(double t) const;
  double phi() const { return 1 + minus_one; }

  TiltedLaw tilt;
  double minus_one = 0;  // phi(c) - 1
  std::vector<double> points, weights;
};

// Everything that is fixed along the contour.
struct Frame {
  double terms, k, c, absent;
  bool swap;
  double log_scale;  // results are in units of e^{log_scale}
  contour::Period period;
};

// Frequencies that count, with the two products of the ends and what turns one into the other.
struct Samples {
  std::array<std::vector<double>, 2> re, im;  // kernel * phi_j^terms
  std::vector<double> log_ratio, turn;        // of phi_1 / phi_0
  double error = 0;                           // two-sided, on any product of `terms` factors
  double curvature = 0;                       // bounds |second differences|
  std::array<double, 2> density{};
  bool affordable = true;
  // Swap reading, few terms: the same for products of the reporting parts g psi_j alone.
  std::array<std::vector<double>, 2> all_re, all_im;
  std::vector<double> all_log_ratio, all_turn;
};

// Whether the products of reporting parts are kept.
inline bool scans_every_type(const Frame& frame) { return frame.swap && frame.terms <= kEveryType; }

// The finest smoothing whose frequencies are affordable, judged from a few.
double affordable_fraction(const Frame& frame, const Side& a, const Side& b);

// The samples at smoothing s; `affordable` is false where more than `budget` frequencies would be visited.
Samples sample(const Frame& frame, const Side& a, const Side& b, double s, double budget);

}  // namespace muster::numerics::mixture
