// Provides AES-128 (FIPS 197): the key schedule and a portable one-block cipher.
//
// The portable cipher is the reference for all others, and the portable vector target (HWY_SCALAR) runs it.
// Bulk encryption is in counter_blocks.cc. The table look-ups of the portable cipher are not constant-time:
// do not use it where an attacker shares the processor's cache with a long-lived secret key. The functions
// are pure.
#pragma once

#include <array>
#include <cstdint>

namespace muster::random {

using AesSchedule = std::array<std::uint8_t, 176>;  // 11 round keys of 16 bytes

AesSchedule expand_aes128_key(const std::array<std::uint8_t, 16>& key);

std::array<std::uint8_t, 16> encrypt_aes128_block(const AesSchedule& schedule,
                                                  const std::array<std::uint8_t, 16>& block);

}  // namespace muster::random
