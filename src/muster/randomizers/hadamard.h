// The +-1 Hadamard matrix H of a power of two, H_ij = (-1)^(ones of i & j): one entry of H
// x, and all of them.
//
// H is symmetric and H H = D I for D rows. Values are the same on every machine. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace muster::randomizers {

// |x|_1 and (H x)_index, x filled up with zeros, each summed in double in one order; a value that is not
// finite makes the norm so.
struct HadamardEntry {
  double norm;
  double entry;
};
HadamardEntry hadamard_entry(std::span<const float> x, std::size_t index);

// H x in place, exactly; the size is a power of two, and the sum of the magnitudes is below 2^63.
void hadamard_transform(std::span<std::int64_t> x);

}  // namespace muster::randomizers
