// Exact rounded normals. A value is shift + deviation N, rounded to the nearest whole number, with an exactly
// normal N of which as many bits are drawn as the rounding needs.
//
// The two words of a pair of normals (normals.h) are taken as the leading bits of two uniform numbers, one
// that gives the pair's radius and one that gives its angle. If all normals that these bits leave open round
// to the same number, that is the result. Otherwise the pair draws further words, two at a time, from a
// stream with a key of its own. Both belong to the normals' address with 128 added to its purpose: block q of
// the stream there, q being the number of the pair, is the key; the words are the stream there under that
// key. Both normals of a pair read the same further words. The number of words is not limited, so nothing is
// cut off: the law is the normal law, rounded (docs/theory/exact-gaussian.md). Ties have probability 0.
//
// A vector kernel may round most values itself. A normal of NormalRows<Reading::certified> that is not NaN
// is within kNormalError of every normal that its words leave open. It is within kMiddlingError if the length
// of the pair, the root of the sum of its two squares, is in [kShort, kLong]. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "muster/random/keyed_stream.h"
#include "muster/random/normal_enclosure.h"

namespace muster::random {

// Constants of the certified reading of words (normals-inl.h), which computes in single precision. A word
// gives only the first bits of its number, so it leaves an interval of numbers open.
//  - Radius words whose first kEqualBits bits (of 31) are all equal are not certified. For the others
//    kLargestRadius bounds the computed radius.
//  - kFactorError bounds the difference between a computed sine or cosine and every one that its angle word
//    leaves open.
//  - kNormalError bounds the difference between a certified normal and every normal that its two words leave
//    open; where the pair's length lies in [kShort, kLong], kMiddlingError bounds it too.
// They are measured over every word on every vector target (certified_normals_test.cc).
inline constexpr int kEqualBits = 14;
inline constexpr float kLargestRadius = 4.406f;
inline constexpr double kFactorError = 1.3e-7, kNormalError = 3.2e-6;
inline constexpr double kShort = 0.125, kLong = 3, kMiddlingError = 9e-7;

// The words of pair `pair`, and the stream of its further words, which continue the radius word, the angle
// word, the radius word, and so on.
PairBits drawn_bits(const RunKey& key, const StreamAddress& address, std::uint64_t pair);
KeyedStream further_bits(const RunKey& key, const StreamAddress& address, std::uint64_t pair);

// The whole number nearest to shift + deviation N, where N is the first or second normal of the pair;
// beyond 2^62 in magnitude it is 2^62 or -2^62. `further` continues the pair's words as far as needed.
// Throws Error(internal) unless shift and deviation are finite and deviation > 0.
std::int64_t rounded_normal(PairBits bits, BitSource& further, bool second, double shift, double deviation);
// The same for normal `number` of the stream at `address`; Error(internal) unless number < 2^33.
std::int64_t rounded_normal(const RunKey& key, const StreamAddress& address, std::uint64_t number,
                            double shift, double deviation);

// Does what rounded_if_decided does, but in double precision: none where this precision does not decide, and
// none if `bits` has more than one further word of each kind.
std::optional<std::int64_t> rounded_if_clear(const PairBits& bits, bool second, double shift,
                                             double deviation);
// The same from two normals of the certified reading: `normal`, which is to be rounded, and `other`, the
// other one of its pair. None if this does not decide, and none unless the pair's length is in [kShort,
// kLong].
std::optional<std::int64_t> rounded_if_middling(float normal, float other, double shift, double deviation);

// Overwrites out with normals first, first + 1, ... of the stream in the certified reading; `first` is a
// multiple of kNormalGroup.
void fill_certified_normals(const RunKey& key, const StreamAddress& address, std::uint64_t first,
                            std::span<float> out);

}  // namespace muster::random
