// Normals without an error: shift + deviation N rounded to the nearest whole number for a true normal N, of
// which as many bits are drawn as the rounding needs.
//
// The words of a pair of normals (normals.h) are read as the leading bits of a uniform radius and a uniform
// angle. Where everything that they leave open rounds alike, that is the value; else the pair draws further
// words, two at a time, from a stream under a key of its own: block q of the stream whose purpose is larger
// by 128, q the number of the pair. Both normals of a pair continue the same words. There is no last word,
// and so no cut: the law is the normal law, rounded (docs/theory/exact-gaussian.md). Ties have probability 0.
//
// A kernel may round most coordinates itself: a normal of NormalRows<Reading::certified> that is no NaN is
// within kNormalError of everything its words leave open, and within kMiddlingError where the pair is neither
// short nor long. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "muster/random/keyed_stream.h"
#include "muster/random/normal_enclosure.h"

namespace muster::random {

// The certified reading of words (normals-inl.h) leaves the radius words whose first kEqualBits bits are all
// equal to exact arithmetic. Of the others, how far sines and cosines are from any that the angle word leaves
// open, and normals from any that both words leave open, in every pair and in those of a length in [kShort,
// kLong]. Measured over every word on every vector target: certified_normals_test.cc.
inline constexpr int kEqualBits = 14;
inline constexpr float kLargestRadius = 4.406f;
inline constexpr double kFactorError = 1.3e-7, kNormalError = 3.2e-6;
inline constexpr double kShort = 0.125, kLong = 3, kMiddlingError = 9e-7;

// The words of pair q, and the stream of further ones: radius, angle, radius, ...
PairBits drawn_bits(const RunKey& key, const StreamAddress& address, std::uint64_t pair);
KeyedStream further_bits(const RunKey& key, const StreamAddress& address, std::uint64_t pair);

// The whole number next to shift + deviation N, N the first or second normal of the pair; beyond 2^62 in
// magnitude 2^62 or -2^62. `further` continues the pair's words, as far as is needed. shift and deviation
// finite, deviation > 0, else Error(internal).
std::int64_t rounded_normal(PairBits bits, BitSource& further, bool second, double shift, double deviation);
// The same with normal `number` < 2^33 of a stream.
std::int64_t rounded_normal(const RunKey& key, const StreamAddress& address, std::uint64_t number,
                            double shift, double deviation);

// As rounded_if_decided, in double precision, of bits with at most one further word of each.
std::optional<std::int64_t> rounded_if_clear(const PairBits& bits, bool second, double shift,
                                             double deviation);
// The same from a normal of the certified reading and the other one of its pair, if they are middling.
std::optional<std::int64_t> rounded_if_middling(float normal, float other, double shift, double deviation);

// Overwrites out with normals first, first + 1, ... of the stream in the certified reading; first is a
// multiple of kNormalGroup.
void fill_certified_normals(const RunKey& key, const StreamAddress& address, std::uint64_t first,
                            std::span<float> out);

}  // namespace muster::random
