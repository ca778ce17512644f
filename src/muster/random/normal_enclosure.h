// Encloses shift + deviation N, where the normal N is made of two uniform numbers of which only leading bits
// are drawn. All computations use integers, with a precision that grows with the number of bits. Errors are
// bounded, and results are rounded outward.
//
// Up to signs and order (normals.h), a pair of normals is R cos(pi x / 4) and R sin(pi x / 4). Here R is
// sqrt(-2 ln U), U is uniform on (0, 1), and x is uniform on (-1, 1). The radius word of the pair holds the
// first 31 bits of U. The angle word holds the first 31 bits of x in two's complement. Further words continue
// both. The logarithm is computed by the series of 2 atanh, pi by Machin's formula, and sine and cosine by
// Taylor series. The functions are thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace muster::random {

// Holds the drawn bits of a pair of normals.
struct PairBits {
  std::uint32_t radius, angle;
  // Further words, equally many for both, the most significant ones first.
  std::vector<std::uint64_t> more_radius, more_angle;

  // Say whether the first (or second) normal of the pair is the one made with the cosine, and whether it is
  // negative.
  bool is_cosine(bool second) const { return second == ((angle & 1) != 0); }
  bool is_negative(bool second) const { return (is_cosine(second) ? radius : angle) >> 31 != 0; }
};

// Returns the integer nearest to shift + deviation N, where N is the first or `second` normal of the pair.
// The result is empty if the drawn bits allow more than one such integer. A result beyond 2^62 in magnitude
// becomes 2^62 or -2^62. Both shift and deviation must be finite, with deviation > 0.
std::optional<std::int64_t> rounded_if_decided(const PairBits& bits, bool second, double shift,
                                               double deviation);

}  // namespace muster::random
