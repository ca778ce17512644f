// The L2 norm of a gradient and the factor that clips it, rounded so that the clipped norm never
// exceeds the clip norm.
//
// Thread-safe.
#pragma once

#include <cstddef>
#include <span>

namespace muster::randomizers {

// Outside this range, norms and noise deviations would come near the limits of single precision.
inline constexpr double kSmallestClip = 1e-20, kLargestClip = 1e20;

// Refuses (Error(plan)) a clip outside [1e-20, 1e20] and a dimension outside [1, 2^31).
void check_shape(double clip, std::size_t dimension);

bool is_finite(std::span<const float> vector);

// Refuses (Error(data)) a gradient that contains NaN or infinity, and names the first such coordinate.
void check_finite(std::span<const float> gradient);

// The Euclidean norm of any finite floats, subnormal or huge, with a relative error below 1.1e-6. NaN or
// infinity in the gradient is Error(data).
double checked_norm(std::span<const float> gradient);

// min(1, (1 - 2^-19) clip / norm). If the norm is from checked_norm and the gradient is multiplied by a
// float of at most this factor, the rounded products have an exact norm of at most `clip`, because
// (1 + 1.1e-6)(1 + 2^-24) < 1 / (1 - 2^-19).
double clip_factor(double norm, double clip);

// The largest float that is at most x, and the smallest that is at least x, for x >= 0.
float round_down(double x);
float round_up(double x);

}  // namespace muster::randomizers
