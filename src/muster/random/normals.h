// Independent standard normals in single precision: vectorised Box-Muller over the words of a keyed stream.
//
// Normals come in groups of 32. Of the 32-bit halves of a group's 16 words, low half first, half i < 16
// is the radius of pair i and half 16 + i is its angle; the pair's normals are numbers i and 16 + i of
// the group. So normal k is a function of (key, address, k) alone, whatever the vector width.
// |z| <= 6.67: the law is cut off there, and less than 10^-9 of the pairs lie beyond. Compared with exact
// Box-Muller for the radius word rounded to 24 bits, the error of a pair of length r is below 4e-7 r
// (normals_accuracy_test.cc). Values are bit-identical on all targets with fused multiply-add (AVX2,
// AVX-512, NEON) and on all without (SSE, scalar); the two kinds differ in the last bits. Use these
// normals for directions and models; noise that protects data comes from exact_normals.h. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "muster/random/counter_blocks.h"
#include "muster/random/keyed_stream.h"

namespace muster::random {

inline constexpr std::size_t kNormalGroup = 32;

// Overwrites out with normals 0, 1, ... of the stream.
void fill_normals(const RunKey& key, const StreamAddress& address, std::span<float> out);

// Overwrites out with normals first, first + 1, ...; `first` is a multiple of kNormalGroup,
// else Error(internal).
void fill_normals_from(const RunKey& key, const StreamAddress& address, std::uint64_t first,
                       std::span<float> out);

// The counter of the first block of the group of normal `first`, for kernels that make normals first, ...,
// first + count - 1 themselves (normals-inl.h). Throws Error(internal) unless `first` is a multiple of
// kNormalGroup and first + count is at most 2^34, the number of normals per stream.
Counter counter_of_normal(const StreamAddress& address, std::uint64_t first, std::size_t count);

}  // namespace muster::random
