// What an enrolled device asks the issuer for: tokens for a block of rounds.
//
//     block = version u8 | task 32 | device 32 | count u16 | (round u64 | request 259) x count | signature 64
//
// A request is that of token.h, and the answer to a block consists of the responses in the same order, 256
// bytes each. A block has 1 to 64 requests, in the order of their rounds, at most one for a round. The device
// signs its block with its own identity key, which the issuer has enrolled. The functions are pure and may be
// called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "muster/wire/bytes.h"
#include "muster/wire/signature.h"
#include "muster/wire/token.h"

namespace muster::wire {

struct TokenBlock {
  struct Entry {
    std::uint64_t round = 0;
    TokenRequest request{};
    bool operator==(const Entry&) const = default;
  };
  Hash task{};
  IdentityKey device{};
  std::vector<Entry> entries;

  bool operator==(const TokenBlock&) const = default;
};

inline constexpr std::size_t kMaxTokenBlock = 64;

// `device` must be the key of the block's device. Throws Error(internal) for a block that is empty, too long
// or out of order, and for the block of another device.
Buffer sign_token_block(const TokenBlock& block, const SigningKey& device);
// Returns nullopt unless this is a block in order that is signed by the device it names.
std::optional<TokenBlock> read_token_block(Bytes signed_block);

}  // namespace muster::wire
