// The vector loops of the randomizers: scale, add noise, round to whole steps, add up.
//
// Rounding is to the nearest whole number, ties to even; the caller keeps every magnitude below 2^31. All
// arrays hold `size` elements. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster::randomizers {

// sums[i] += round(scale * direction[i])
void add_scaled(const float* direction, float scale, std::int64_t* sums, std::size_t size);

// steps[i] = round(gradient[i] * factor + noise[i] * deviation), overwriting; the first product is rounded
// alone.
void add_noise(const float* gradient, float factor, const float* noise, float deviation, std::int32_t* steps,
               std::size_t size);

// sums[i] += steps[i]
void add_steps(const std::int32_t* steps, std::int64_t* sums, std::size_t size);

}  // namespace muster::randomizers
