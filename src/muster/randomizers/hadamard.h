// The +-1 Hadamard matrix H with D rows, where D is a power of two and H_ij = (-1)^(number of ones in i & j):
// one entry of H x, or the whole transform.
//
// H is symmetric, and H H = D I. Values are the same on every machine. The functions are thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace muster::randomizers {

// The norm |x|_1 and the entry (H x)_index, where x is padded with zeros. Each is summed in double
// precision in a fixed order. A value that is not finite makes the norm infinite or NaN.
struct HadamardEntry {
  double norm;
  double entry;
};
HadamardEntry hadamard_entry(std::span<const float> x, std::size_t index);

// Replaces x by H x, exactly. The size must be a power of two, and the sum of the magnitudes must be below
// 2^63.
void hadamard_transform(std::span<std::int64_t> x);

}  // namespace muster::randomizers
