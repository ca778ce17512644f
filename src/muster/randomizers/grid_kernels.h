// The vector loops of the randomizers, which scale vectors, add noise, round to integer steps and add up.
//
// Rounding is to the nearest integer, ties to even. The caller ensures that every scaled value, before it is
// rounded, is below 2^31 in magnitude. All arrays hold `size` elements; arrays that start on a cache line are
// fastest. The functions are thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "muster/random/keyed_stream.h"

namespace muster::randomizers {

// Computes sums[i] += round(scale * direction[i]).
void add_scaled(const float* direction, float scale, std::int64_t* sums, std::size_t size);

// Overwrites steps[i] with round(gradient[i] * factor + deviation N_i), clamped to [-b, b] with b =
// 2^(bits - 1) - 1. The N_i are the exact normals 0, 1, ... of a stream (random/exact_normals.h), and the
// product of the two floats is not rounded. Vector loops in single precision round most coordinates. The
// coordinates whose rounding they cannot decide are left to rounded_if_middling and, if it does not decide
// either, to rounded_normal. So the steps are the same on every target. Requires that no product exceeds
// largest_product in magnitude, 1 <= deviation, 8 <= bits <= 24 and largest_product + 8 deviation <= b.
// Returns how many coordinates needed rounded_normal.
std::size_t add_stream_noise(std::span<const float> gradient, float factor, double largest_product,
                             const random::RunKey& key, const random::StreamAddress& address,
                             double deviation, unsigned bits, std::int32_t* steps);

// Computes sums[i] += steps[i].
void add_steps(const std::int32_t* steps, std::int64_t* sums, std::size_t size);
// Does the same as add_steps, and then sets steps[i] = 0.
void move_steps(std::int32_t* steps, std::int64_t* sums, std::size_t size);

// The following functions add to 32-bit sums. The sums wrap around, so anything added can be subtracted
// again. One pass over several messages is cheaper than one pass for each, because memory access dominates.

// Computes sums[i] += round(scales[m] * directions[m][i]) for every m.
void add_scaled(std::span<const float* const> directions, std::span<const float> scales, std::int32_t* sums,
                std::size_t size);
// Computes sums[i] += round(scale * added[i]) for i < out.size(), and in the same pass fills `out` with
// another direction as random::fill_direction does. Two separate passes would be slower. Returns the squared
// norm of `out`.
double fill_direction_beside_adding(const random::RunKey& key, const random::StreamAddress& address,
                                    std::span<float> out, const float* added, float scale,
                                    std::int32_t* sums);
// Computes sums[i] += steps[m][i] for every m. Returns whether all |steps[m][i]| <= bound.
// Requires bound < 2^31.
bool add_steps_within(std::span<const std::int32_t* const> steps, std::uint32_t bound, std::int32_t* sums,
                      std::size_t size);
// Computes sums[i] -= steps[i].
void subtract_steps(const std::int32_t* steps, std::int32_t* sums, std::size_t size);

}  // namespace muster::randomizers
