// Signed numbers of b bits each, packed without gaps: two's complement, the first number in the lowest bits
// of the first byte. Bits that are left over in the last byte are 0.
//
// Numbers are between -(2^(b-1) - 1) and 2^(b-1) - 1. The functions are pure and may be called from any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "muster/wire/bytes.h"

namespace muster::wire {

inline constexpr unsigned kMaxStepBits = 32;

// The bytes that `count` numbers take.
constexpr std::size_t packed_size(std::size_t count, unsigned bits) { return (count * bits + 7) / 8; }

// Writes the numbers. Returns false if one is out of range; `out` is then unspecified. Requires 2 <= bits <=
// kMaxStepBits and out.size() == packed_size().
bool pack_steps(std::span<const std::int32_t> steps, unsigned bits, std::span<std::uint8_t> out);

// Reads the numbers. `in_range` says whether none of them is -2^(b-1), and `padded` whether the bits that are
// left over are 0. The requirements are those of pack_steps().
struct Unpacked {
  bool in_range, padded;
};
Unpacked unpack_steps(Bytes packed, unsigned bits, std::span<std::int32_t> steps);

}  // namespace muster::wire
