// Bytes from the operating system's CSPRNG, through libsodium: for keys, salts and nonces.
//
// Any thread may call the functions.
#pragma once

#include <cstdint>
#include <span>

namespace muster::random {

// Makes libsodium ready, which its functions need. Calls after the first one cost nothing. Throws
// Error(internal) if it cannot start.
void start_libsodium();

// Overwrites `out` with random bytes.
void fill_from_os(std::span<std::uint8_t> out);

}  // namespace muster::random
