// Encloses shift + deviation N for a normal N made of two uniform numbers of which only leading bits are
// drawn. It computes with integers, whose precision grows with the number of bits; all errors are bounded and
// rounded outward.
//
// A pair of normals is R cos(pi x / 4) and R sin(pi x / 4), up to signs and order (normals.h), with
// R = sqrt(-2 ln U), U uniform on (0, 1) and x uniform on (-1, 1). The radius word of the pair has the
// first 31 bits of U, and the angle word the first 31 bits of x in two's complement; further words continue
// both. The series are 2 atanh for the logarithm, Machin's for pi, and Taylor's for sine and cosine.
// Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace muster::random {

// The bits of a pair that are drawn.
struct PairBits {
  std::uint32_t radius, angle;
  std::vector<std::uint64_t> more_radius, more_angle;  // equally many further words, highest first

  // Whether the first (or second) normal of the pair is the cosine's, and whether it is negative.
  bool is_cosine(bool second) const { return second == ((angle & 1) != 0); }
  bool is_negative(bool second) const { return (is_cosine(second) ? radius : angle) >> 31 != 0; }
};

// The whole number nearest to shift + deviation N, where N is the first or second normal of the pair, if
// it is the same for everything that the bits leave open; else none. Beyond 2^62 in magnitude it is 2^62
// or -2^62. shift and deviation are finite, deviation > 0.
std::optional<std::int64_t> rounded_if_decided(const PairBits& bits, bool second, double shift,
                                               double deviation);

}  // namespace muster::random
