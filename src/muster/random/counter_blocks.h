// Encrypts AES-128 counter blocks in bulk, on the best vector unit of this machine.
//
// All words of the streams of keyed_stream.h come from encrypt_indices and encrypt_clients. Every target
// gives the same words. The functions are thread-safe.
#pragma once

#include <cstdint>
#include <span>

#include "muster/random/keyed_stream.h"

namespace muster::random {

// Holds the 16 bytes of a counter (keyed_stream.h) as two little-endian halves: low is index | client << 32,
// and high is client >> 32 | round << 16 | purpose << 56.
struct Counter {
  std::uint64_t low;
  std::uint64_t high;
};

// Returns the counter of block `index`. Throws Error(internal) for a round >= 2^40 or a client >= 2^48.
Counter counter_of(const StreamAddress& address, std::uint32_t index);

// Overwrites `out` with both words of each of out.size() / 2 blocks, whose indices are consecutive from
// `first` on. Throws Error(internal) if out.size() is odd or the indices exceed 2^32.
void encrypt_indices(const RunKey& key, const Counter& first, std::span<std::uint64_t> out);

// Overwrites `out` with the first word of each of out.size() blocks, whose clients are consecutive from
// `first` on.
void encrypt_clients(const RunKey& key, const Counter& first, std::span<std::uint64_t> out);

// Returns Highway's name of the vector unit in use, for example "AVX3_DL".
const char* vector_target();

}  // namespace muster::random
