// Samples for worst_mixture.cc: the characteristic functions of two laws on one contour at all
// frequencies that are not negligible, and bounds on what is left out.
//
// Only worst_mixture.cc and sample_products.h use this header. Let Y_0 and Y_1 be terms of the two laws,
// phi_j = E e^{zY_j} along z = c + it, S_h the sum of h terms of law 0 and n - h of law 1, and Z a normal of
// standard deviation s. Let the kernel be e^{-zk + s^2 z^2 / 2} / z^2 times the step over 2 pi. Then for
// every h the sum over frequencies of kernel * phi_0^h phi_1^(n-h) is the trapezoidal value of
// E(S_h + Z - k)_+ (docs/theory/class-c.md). Pure functions; call from any thread.
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "muster/numerics/sums/atomic_law.h"
#include "muster/numerics/sums/contour.h"

namespace muster::numerics::mixture {

// Tuning: every choice gives a valid bound. The first smoothing s that is tried lies between these two
// constants, in units of 1/c. It raises the bound by about (s c)^2 / 2 of the value, which is 5e-6 to 2e-3.
inline constexpr double kFinest = 3e-3, kCoarsest = 6e-2;
// The most frequencies that one smoothing should visit; they take a fraction of a millisecond
// (docs/theory/notes/class-c.md, "Width and time").
inline constexpr double kAffordable = 2000;
// Up to this many terms, every V_i (worst_mixture.h) may be computed instead of bounded by chords, because
// with few terms the chords' allowance for curvature is large.
inline constexpr double kEveryType = 256;

// One law on the contour Re z = c. If it has few atoms, sines are computed one by one, which is then faster
// than the vector kernels of TiltedLaw.
struct LawOnContour {
  LawOnContour(const AtomicLaw& law, double c);
  // chi(t) - 1 = phi(c + it)/phi(c) - 1.
  std::complex<double> characteristic_minus_one(double t) const;
  double phi() const { return 1 + minus_one; }

  TiltedLaw tilt;
  double minus_one = 0;  // phi(c) - 1
  // The atoms, and twice their tilted weights.
  std::vector<double> points, weights;
};

// The parameters that all frequencies share.
struct Frame {
  double terms, k, c, absent;  // as in worst_mixture.h; `absent` is 0 with Mixing::product
  bool swap;                   // whether the mixing is Mixing::swap
  double log_scale;            // results are in units of e^{log_scale}
  contour::Period period;
};

// For each frequency that is not negligible, the products of the two ends (all terms of law 0, all terms of
// law 1), and the ratio by which a product changes when one more of its terms is of law 1.
struct Samples {
  std::array<std::vector<double>, 2> re, im;  // real and imaginary parts of kernel * phi_j^terms
  std::vector<double> log_ratio, turn;        // logarithm of the modulus, and argument, of phi_1 / phi_0
  double error = 0;                 // bound on the sum's absolute error, for any product of `terms` factors
  double size = 0;                  // the sum of the moduli of the larger end's samples
  double curvature = 0;             // upper bound of |second differences of V_i|: beta of worst_mixture.h
  std::array<double, 2> density{};  // SmoothedSum::density of each end's sum
  bool affordable = true;
  // With Mixing::swap and few terms: the counterparts of re, im, log_ratio and turn for the reporting parts
  // phi_j - absent, which leave out the event that a term is absent.
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
