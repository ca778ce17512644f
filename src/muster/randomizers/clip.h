// The L2 norm of a gradient and the factor that clips it, rounded so that
// the clipped norm never exceeds the clip.
//
// Thread-safe.
#pragma once

#include <cstddef>
#include <span>

namespace muster::randomizers {

// Norms and deviations outside this range would meet the ends of single precision.
inline constexpr double kSmallestClip = 1e-20, kLargestClip = 1e20;

// Refuses (Error(plan)) a clip outside [1e-20, 1e20] and a dimension outside [1, 2^31).
void check_shape(double clip, std::size_t dimension);

bool is_finite(std::span<const float> vector);

// Refuses (Error(data)) a gradient with NaN or infinity in it, naming the first place.
void check_finite(std::span<const float> gradient);

// Euclidean norm, relative error below 1.1e-6; any finite floats, subnormal
// or huge. NaN or infinity: Error(data).
double checked_norm(std::span<const float> gradient);

// min(1, clip / norm), lowered by 2^-19 where it clips. With norm from checked_norm, the
// products with a float not above this factor have, after their rounding, an exact norm <= clip:
// (1 + 1.1e-6)(1 + 2^-24) < 1 / (1 - 2^-19).
double clip_factor(double norm, double clip);

// The largest float not above x >= 0.
float round_down(double x);
float round_up(double x);

}  // namespace muster::randomizers
