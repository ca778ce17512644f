// Draws exactly rounded normals. A value is shift + deviation N rounded to the nearest integer, where N is
// exactly normal: as many bits of N are drawn as the rounding needs.
//
// The two words of a pair of normals (normals.h) are the leading bits of two uniform numbers, which give the
// pair's radius and its angle. If all normals that these bits allow round to the same integer, that integer
// is the result. Otherwise the pair draws further words, two at a time, from a stream of its own. The address
// of this stream is that of the normals with 128 added to the purpose. Its key is block q of the stream that
// has this new address under the normals' key, where q is the number of the pair. Both normals of a pair read
// the same further words. The number of words is not limited, so no tail is cut off: the law is exactly the
// rounded normal law (docs/theory/exact-gaussian.md). Ties have probability 0.
//
// A vector kernel may round most values itself. A normal of NormalRows<Reading::certified> that is not NaN is
// within kNormalError of every normal that its words allow. The stronger bound kMiddlingError holds if the
// length of the pair, the root of the sum of its two squares, is in [kShort, kLong]. The functions are
// thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "muster/random/keyed_stream.h"
#include "muster/random/normal_enclosure.h"

namespace muster::random {

// Constants of the certified reading of words (normals-inl.h), which computes in single precision. A word
// holds the first bits of a uniform number, so it allows an interval of values.
//  - A radius word whose first kEqualBits bits (of 31) are all equal is not certified. For all others,
//    kLargestRadius bounds the computed radius.
//  - kFactorError bounds the difference between a computed sine or cosine and every one that its angle word
//    allows.
//  - kNormalError bounds the difference between a certified normal and every normal that its two words allow.
//    If the pair's length is in [kShort, kLong], kMiddlingError bounds it too.
// The bounds are measured over every word on every vector target (certified_normals_long_test.cc).
inline constexpr int kEqualBits = 14;
inline constexpr float kLargestRadius = 4.406f;
inline constexpr double kFactorError = 1.3e-7, kNormalError = 3.2e-6;
inline constexpr double kShort = 0.125, kLong = 3, kMiddlingError = 9e-7;

// Return the words of pair number `pair`, and the stream of its further words, which continue the radius word
// and the angle word alternately. drawn_bits throws Error(internal) unless pair < 2^32; further_bits requires
// that range without a check.
PairBits drawn_bits(const RunKey& key, const StreamAddress& address, std::uint64_t pair);
KeyedStream further_bits(const RunKey& key, const StreamAddress& address, std::uint64_t pair);

// Returns the integer nearest to shift + deviation N, where N is the first or `second` normal of the pair. A
// result beyond 2^62 in magnitude becomes 2^62 or -2^62. `further` supplies as many further words as needed.
// Throws Error(internal) unless shift and deviation are finite and deviation > 0.
std::int64_t rounded_normal(PairBits bits, BitSource& further, bool second, double shift, double deviation);
// Does the same for normal `number` of the stream at `address`. Also throws Error(internal) unless
// number < 2^33.
std::int64_t rounded_normal(const RunKey& key, const StreamAddress& address, std::uint64_t number,
                            double shift, double deviation);

// Works like rounded_if_decided (normal_enclosure.h), but in double precision. The result is empty if this
// precision does not decide, or if `bits` has more than one further word of each kind.
std::optional<std::int64_t> rounded_if_clear(const PairBits& bits, bool second, double shift,
                                             double deviation);
// Works like rounded_if_clear, but from two normals of the certified reading: `normal`, which is rounded, and
// `other`, the other one of its pair. The result is empty if these two do not decide, or if the pair's length
// is not in [kShort, kLong].
std::optional<std::int64_t> rounded_if_middling(float normal, float other, double shift, double deviation);

// Overwrites `out` with normals first, first + 1, ... of the stream in the certified reading. Throws
// Error(internal) unless `first` is a multiple of kNormalGroup and the stream has these normals.
void fill_certified_normals(const RunKey& key, const StreamAddress& address, std::uint64_t first,
                            std::span<float> out);

}  // namespace muster::random
