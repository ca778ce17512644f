// Sums over the atoms of a law, up to eight atoms at a time. They are the inner loops of every contour
// integral.
//
// One source, written with the vector library Highway, serves every instruction set, and the processor's best
// set is chosen at run time. Exponentials and sines are within 4 ulp, and a sum of m terms takes at most 5 +
// log2(m + 64) roundings (slack.h) of the sum of the terms' moduli. The last bits differ between instruction
// sets by far less than the error bounds allow for. Pure functions; call from any thread.
#pragma once

#include <array>
#include <complex>
#include <cstddef>

namespace muster::numerics {

// Sums over atoms of weight w at the point y. The first four members are the sums of w e^{cy} times 1, y, |y|
// and y^2, in this order; `growth` is the sum of w (e^{cy} - 1), and `largest_exponent` is the largest cy or
// 0.
struct TiltSums {
  double nonzero = 0;
  double first = 0;
  double absolute = 0;
  double second = 0;
  double growth = 0;
  double largest_exponent = 0;
};
// The sums are meaningless if largest_exponent >= 700. An exponent below -708 counts as -708. If a point is
// NaN, so are the sums.
TiltSums tilt_sums(const double* points, const double* weights, std::size_t atoms, double c);

// out[i] = weights[i] e^{c points[i] - shift}
void tilt_weights(const double* points, const double* weights, std::size_t atoms, double c, double shift,
                  double* out);

// The sum over the atoms of w (e^{ity} - 1), whose real part is computed without cancellation. `reach` is the
// largest |y|.
std::complex<double> characteristic_sum(const double* points, const double* weights, std::size_t atoms,
                                        double t, double reach);

// cosines[i] = cos(t points[i]) and sines[i] = sin(t points[i]); `atoms` is a multiple of 8, and `reach` is
// the largest |points[i]|.
void angles(const double* points, std::size_t atoms, double t, double reach, double* cosines, double* sines);

// The complex number whose real part is the sum of weights[i] (cosines[i] - 1) and whose imaginary part is
// the sum of weights[i] sines[i]; `atoms` is a multiple of 8.
std::complex<double> angle_sum(const double* weights, const double* cosines, const double* sines,
                               std::size_t atoms);
// Rotates every angle, given by its cosine and sine, four times by its step, in one pass over memory. Returns
// angle_sum() after each rotation; `atoms` is a multiple of 8.
std::array<std::complex<double>, 4> turn_and_sum(const double* weights, double* cosines, double* sines,
                                                 const double* step_cosines, const double* step_sines,
                                                 std::size_t atoms);

// Multiplies every complex number four times by its step and returns the sum of the real parts after each
// multiplication; `count` is a multiple of 8.
std::array<double, 4> multiply_and_sum(double* real, double* imaginary, const double* step_real,
                                       const double* step_imaginary, std::size_t count);

}  // namespace muster::numerics
