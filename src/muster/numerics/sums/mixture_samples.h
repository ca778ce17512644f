// Samples for worst_mixture.cc: the characteristic functions of two laws on one contour at all
// frequencies that are not negligible, and bounds on what is left out.
//
// Internal to that file. Along z = c + it let phi_j = E e^{zY_j}, and let the kernel be e^{-zk + s^2 z^2
// / 2} / z^2 times the step over 2 pi. For every h the sum over frequencies of kernel * phi_0^h
// phi_1^(n-h) is the trapezoidal value of E(S_h - k)_+ (docs/theory/class-c.md). Pure functions of
// values; call from any thread.
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "muster/numerics/sums/atomic_law.h"
#include "muster/numerics/sums/contour.h"

namespace muster::numerics::mixture {

// Tuning, for every choice of which the bound is valid. The range of the first smoothing s, in units of 1/c:
// it costs about (s c)^2 / 2 of the value, which is 5e-6 to 2e-3.
inline constexpr double kFinest = 3e-3, kCoarsest = 6e-2;
// The most frequencies that one smoothing should visit; they take a fraction of a millisecond
// (docs/theory/notes/class-c.md, "Width and time").
inline constexpr double kAffordable = 2000;
// Up to this many terms each V may be computed, not only bounded by chords: few terms are where the
// allowance of chords is large.
inline constexpr double kEveryType = 256;

// One law on the common contour. If it has few atoms the sines are computed one by one, without the
// vector kernels of TiltedLaw.
struct LawOnContour {
  LawOnContour(const AtomicLaw& law, double c);
  // chi(t) - 1 = phi(c + it)/phi(c) - 1.
  std::complex<double> characteristic_minus_one(double t) const;
  double phi() const { return 1 + minus_one; }

  TiltedLaw tilt;
  double minus_one = 0;  // phi(c) - 1
  std::vector<double> points, weights;
};

// What is the same for all frequencies.
struct Frame {
  double terms, k, c, absent;
  bool swap;
  double log_scale;  // results are in units of e^{log_scale}
  contour::Period period;
};

// The frequencies that are not negligible: for each of them the products of the two ends, and the ratio
// that leads from one end to the other.
struct Samples {
  std::array<std::vector<double>, 2> re, im;  // kernel * phi_j^terms
  std::vector<double> log_ratio, turn;        // logarithm of the modulus, and argument, of phi_1 / phi_0
  double error = 0;                           // two-sided, of the sum for any product of `terms` factors
  double curvature = 0;                       // bound on |second differences| of V
  std::array<double, 2> density{};
  bool affordable = true;
  // With Mixing::swap and few terms: the same for products of the reporting parts
  // g psi_j = phi_j - absent alone.
  std::array<std::vector<double>, 2> all_re, all_im;
  std::vector<double> all_log_ratio, all_turn;
};

// Whether the products of reporting parts are kept.
inline bool scans_every_type(const Frame& frame) { return frame.swap && frame.terms <= kEveryType; }

// The finest affordable smoothing in units of 1/c, estimated from a few frequencies.
double affordable_fraction(const Frame& frame, const LawOnContour& a, const LawOnContour& b);

// The samples at smoothing s; `affordable` is false where more than `budget` frequencies would be visited.
Samples sample(const Frame& frame, const LawOnContour& a, const LawOnContour& b, double s, double budget);

}  // namespace muster::numerics::mixture
