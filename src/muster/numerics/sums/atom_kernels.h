// Sums over the atoms of a law, eight at a time: the inner loops of every contour integral.
//
// One Highway source for every instruction set, chosen at run time. Each result is within a few units in the
// last place of the sum of its terms' moduli (exponentials and sines of at most 4 ulp); last bits differ
// between instruction sets, by far less than the error bounds charge. Pure functions; call from any thread.
#pragma once

#include <array>
#include <complex>
#include <cstddef>

namespace muster::numerics {

// Sums of w e^{cy} times 1, y, |y|, y^2, and of w (e^{cy} - 1).
struct TiltSums {
  double nonzero = 0;
  double first = 0;
  double absolute = 0;
  double second = 0;
  double growth = 0;
};
// Needs c y < 700 for every atom; e^{cy} of a very negative exponent is 0.
TiltSums tilt_sums(const double* points, const double* weights, std::size_t atoms, double c);

// out[i] = weights[i] e^{c points[i] - shift}
void tilt_weights(const double* points, const double* weights, std::size_t atoms, double c, double shift,
                  double* out);

// Sum of w (e^{ity} - 1), real part without cancellation. `reach`: the largest |y|.
std::complex<double> characteristic_sum(const double* points, const double* weights, std::size_t atoms,
                                        double t, double reach);

// cosines[i] = cos(t points[i]), sines[i] likewise.
void angles(const double* points, std::size_t atoms, double t, double reach, double* cosines, double* sines);

// Sum of w (cos - 1, sin) over the angles given; `atoms` a multiple of 8.
std::complex<double> angle_sum(const double* weights, const double* cosines, const double* sines,
                               std::size_t atoms);
// Turns every angle four times by its step: the sums after each turn, in one pass over memory.
std::array<std::complex<double>, 4> turn_and_sum(const double* weights, double* cosines, double* sines,
                                                 const double* step_cosines, const double* step_sines,
                                                 std::size_t atoms);

// Multiplies every complex number four times by its step: the sums of the real parts after each time; `count`
// a multiple of 8.
std::array<double, 4> multiply_and_sum(double* real, double* imaginary, const double* step_real,
                                       const double* step_imaginary, std::size_t count);

}  // namespace muster::numerics
