// The L2 norm of a gradient and the factor that clips it, rounded so that the clipped vector's norm never
// exceeds the clip norm.
//
// The functions are thread-safe.
#pragma once

#include <cstddef>
#include <span>

namespace muster::randomizers {

// Clip norms outside this range would bring norms and noise deviations near the limits of single precision.
inline constexpr double kSmallestClip = 1e-20, kLargestClip = 1e20;

// Throws Error(plan) for a clip norm outside [1e-20, 1e20] or a dimension outside [1, 2^31).
void check_shape(double clip, std::size_t dimension);

bool is_finite(std::span<const float> vector);

// Throws Error(data) if the gradient contains NaN or infinity, and names the first such coordinate.
void check_finite(std::span<const float> gradient);

// Returns the Euclidean norm of a finite gradient, with a relative error below 1.1e-6 even for subnormal or
// very large values. Throws Error(data) if the gradient contains NaN or infinity.
double checked_norm(std::span<const float> gradient);

// Returns min(1, (1 - 2^-19) clip / norm). If `norm` is checked_norm of a gradient, and the gradient is
// multiplied by a float of at most this factor, the rounded products have an exact norm of at most `clip`.
// The reason is that (1 + 1.1e-6)(1 + 2^-24) < 1 / (1 - 2^-19).
double clip_factor(double norm, double clip);

// round_down returns the largest float that is at most x, and round_up the smallest that is at least x. Both
// require x >= 0.
float round_down(double x);
float round_up(double x);

}  // namespace muster::randomizers
