// The vector loops of the randomizers: scale, add noise, round to whole steps, add up.
//
// Rounding is to the nearest whole number, ties to even; the caller keeps every magnitude below 2^31. All
// arrays hold `size` elements; those on cache lines are fastest. Thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "muster/random/keyed_stream.h"

namespace muster::randomizers {

// sums[i] += round(scale * direction[i])
void add_scaled(const float* direction, float scale, std::int64_t* sums, std::size_t size);

// steps[i] = round(gradient[i] * factor + noise[i] * deviation), overwriting; the first product is rounded
// alone.
void add_noise(const float* gradient, float factor, const float* noise, float deviation, std::int32_t* steps,
               std::size_t size);

// The same with the normals 0, 1, ... of a stream for noise, made on the way.
void add_stream_noise(std::span<const float> gradient, float factor, const random::RunKey& key,
                      const random::StreamAddress& address, float deviation, std::int32_t* steps);

// sums[i] += steps[i]
void add_steps(const std::int32_t* steps, std::int64_t* sums, std::size_t size);

// 32-bit sums wrap around, so that what has been added can be taken off again whatever it was.
// sums[i] += round(scale * direction[i])
void add_scaled(const float* direction, float scale, std::int32_t* sums, std::size_t size);
// Four directions, each scaled and rounded by itself.
void add_four_scaled(const std::array<const float*, 4>& directions, const std::array<float, 4>& scales,
                     std::int32_t* sums, std::size_t size);
// Four times sums[i] += steps[i]; true only if every |steps[i]| <= bound, false only if one is >= bound.
bool add_four_steps_within(const std::array<const std::int32_t*, 4>& steps, std::uint32_t bound,
                           std::int32_t* sums, std::size_t size);
// sums[i] += steps[i]; true only if every |steps[i]| <= bound, false only if one is >= bound. 0 < bound <
// 2^31.
bool add_steps_within(const std::int32_t* steps, std::uint32_t bound, std::int32_t* sums, std::size_t size);
// sums[i] -= steps[i]
void subtract_steps(const std::int32_t* steps, std::int32_t* sums, std::size_t size);

}  // namespace muster::randomizers
