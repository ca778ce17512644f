// Exact rounded normals: shift + deviation N, rounded to the nearest whole number, for an exactly normal
// N of which as many bits are drawn as the rounding needs.
//
// The words of a pair of normals (normals.h) are taken as the leading bits of a uniform radius and a
// uniform angle. If all values that they leave open round to the same number, that is the result.
// Otherwise the pair draws further words, two at a time, from a stream under a key of its own: block q of
// the stream whose purpose is larger by 128, where q is the number of the pair. Both normals of a pair
// continue the same words. The number of words is not limited, so nothing is cut off: the law is the
// normal law, rounded (docs/theory/exact-gaussian.md). Ties have probability 0.
//
// A kernel may round most coordinates itself. A normal of NormalRows<Reading::certified> that is not NaN
// is within kNormalError of every normal that its words leave open, and within kMiddlingError if the
// length of the pair is in [kShort, kLong]. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "muster/random/keyed_stream.h"
#include "muster/random/normal_enclosure.h"

namespace muster::random {

// Constants of the certified reading of words (normals-inl.h). Radius words whose first kEqualBits bits
// are all equal are left to exact arithmetic. A word gives only the first bits of its number, so an interval
// of numbers is possible. For the other radius words kLargestRadius bounds the radius; kFactorError bounds the
// difference between a computed sine or cosine and any that is possible given the angle word; kNormalError
// bounds that between a computed normal and any that is possible given both words, and kMiddlingError does
// where the pair's length lies in [kShort, kLong]. Measured over every word on every vector target
// (certified_normals_test.cc).
inline constexpr int kEqualBits = 14;
inline constexpr float kLargestRadius = 4.406f;
inline constexpr double kFactorError = 1.3e-7, kNormalError = 3.2e-6;
inline constexpr double kShort = 0.125, kLong = 3, kMiddlingError = 9e-7;

// The words of pair `pair`, and the stream of its further words: radius, angle, radius, and so on.
PairBits drawn_bits(const RunKey& key, const StreamAddress& address, std::uint64_t pair);
KeyedStream further_bits(const RunKey& key, const StreamAddress& address, std::uint64_t pair);

// The whole number nearest to shift + deviation N, where N is the first or second normal of the pair;
// beyond 2^62 in magnitude it is 2^62 or -2^62. `further` continues the pair's words as far as needed.
// Throws Error(internal) unless shift and deviation are finite and deviation > 0.
std::int64_t rounded_normal(PairBits bits, BitSource& further, bool second, double shift, double deviation);
// The same with normal `number` < 2^33 of a stream.
std::int64_t rounded_normal(const RunKey& key, const StreamAddress& address, std::uint64_t number,
                            double shift, double deviation);

// The same as rounded_if_decided in double precision, for bits with at most one further word of each
// kind; none for others and where this precision does not decide.
std::optional<std::int64_t> rounded_if_clear(const PairBits& bits, bool second, double shift,
                                             double deviation);
// The same, but computed from `normal`, which is of the certified reading, and from `other`, the second
// normal of its pair; none unless the pair's length is in [kShort, kLong].
std::optional<std::int64_t> rounded_if_middling(float normal, float other, double shift, double deviation);

// Overwrites out with normals first, first + 1, ... of the stream in the certified reading; `first` is a
// multiple of kNormalGroup.
void fill_certified_normals(const RunKey& key, const StreamAddress& address, std::uint64_t first,
                            std::span<float> out);

}  // namespace muster::random
