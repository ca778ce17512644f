// Computes independent standard normals in single precision, by vectorised Box-Muller over a keyed stream.
//
// Normals come in groups of 32, from 16 words of 64 bits per group. These words are split into 32-bit halves,
// low half first: half i < 16 is the radius word of pair i, and half 16 + i is its angle word. The pair's
// normals are numbers i and 16 + i of the group. So normal k is a function of (key, address, k) only,
// whatever the vector width.
//
// Every normal z has |z| < 6.67; less than 10^-9 of exact pairs have a length above 6.67. The reference for
// accuracy is exact Box-Muller, applied to the radius word rounded to 24 bits: for a pair of length r, the
// error is below 4e-7 r (normals_accuracy_test.cc). Values are bit-identical on all targets with fused
// multiply-add (AVX2, AVX-512, NEON) and on all targets without it (SSE, scalar); the two kinds differ in the
// last bits. Use these normals for directions and models. Noise that protects data comes from
// exact_normals.h. The functions are thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "muster/random/counter_blocks.h"
#include "muster/random/keyed_stream.h"

namespace muster::random {

inline constexpr std::size_t kNormalGroup = 32;

// Overwrites `out` with normals 0, 1, ... of the stream.
void fill_normals(const RunKey& key, const StreamAddress& address, std::span<float> out);

// Overwrites `out` with normals first, first + 1, ... of the stream. Throws Error(internal) unless `first` is
// a multiple of kNormalGroup and the stream has these normals.
void fill_normals_from(const RunKey& key, const StreamAddress& address, std::uint64_t first,
                       std::span<float> out);

// Returns the counter of the first block of the group of normal `first`, for kernels that compute normals
// first, ..., first + count - 1 themselves (normals-inl.h). Throws Error(internal) unless `first` is a
// multiple of kNormalGroup and first + count is at most 2^34, the number of normals per stream.
Counter counter_of_normal(const StreamAddress& address, std::uint64_t first, std::size_t count);

}  // namespace muster::random
