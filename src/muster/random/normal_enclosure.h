// Where shift + deviation N lies, of a normal N of which some leading bits are drawn: in whole-number
// arithmetic of as many digits as the bits deserve, every error counted and taken outward.
//
// A pair of normals is R cos and R sin of pi x / 4, up to signs and order (normals.h), with R = sqrt(-2 ln
// U), U uniform on (0, 1) and x on (-1, 1). The radius word of the pair is the first 31 bits of U, the angle
// word the first 31 of x; further words continue both. Series: 2 atanh for the logarithm, Machin's for pi,
// Taylor's for sine and cosine. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace muster::random {

// What is drawn of a pair.
struct PairBits {
  std::uint32_t radius, angle;
  std::vector<std::uint64_t> more_radius, more_angle;  // as many of each, most significant first

  // Whether the first (or second) normal of the pair is the cosine's, and whether it is negative.
  bool is_cosine(bool second) const { return second == ((angle & 1) != 0); }
  bool is_negative(bool second) const { return (is_cosine(second) ? radius : angle) >> 31 != 0; }
};

// The whole number next to shift + deviation N, N the first or second normal of the pair, if that is the same
// for everything the bits leave open; else none. Beyond 2^62 in magnitude it is 2^62 or -2^62. shift and
// deviation are finite, deviation > 0.
std::optional<std::int64_t> rounded_if_decided(const PairBits& bits, bool second, double shift,
                                               double deviation);

}  // namespace muster::random
