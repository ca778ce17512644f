// What the issuer is asked and told: for tokens for a block of rounds, by an enrolled device; and by the
// shuffler, to issue no more tokens for a round that is about to open, and that it is about to hand out the
// reports of a round.
//
//     block   = version u8 | task 32 | device 32 | count u16 | (round u64 | request 259) x count |
//               signature 64
//     close   = version u8 | task 32 | round u64 | signature 64                                     105 bytes
//     release = the same
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

// The block's device is the identity of the key. Throws Error(internal) for a block that is empty, too long
// or out of order, and for the block of another device.
Buffer sign_token_block(const TokenBlock& block, const SigningKey& device);
// Returns nullopt unless this is a block in order that is signed by the device it names.
std::optional<TokenBlock> read_token_block(Bytes signed_block);

// What the shuffler says of a round. The kind of the signature tells an order to close from a notice.
struct RoundNotice {
  Hash task{};
  std::uint64_t round = 0;
  bool operator==(const RoundNotice&) const = default;
};

inline constexpr std::size_t kRoundNotice = 1 + 32 + 8 + 64;

Buffer sign_close_issuance(const RoundNotice& close, const SigningKey& shuffler);
Buffer sign_release_notice(const RoundNotice& release, const SigningKey& shuffler);
// Return nullopt unless this is the shuffler's order to close, or its notice of a release.
std::optional<RoundNotice> read_close_issuance(Bytes signed_close, const IdentityKey& shuffler);
std::optional<RoundNotice> read_release_notice(Bytes signed_notice, const IdentityKey& shuffler);

}  // namespace muster::wire
