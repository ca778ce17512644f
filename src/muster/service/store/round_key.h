// The X25519 key that a role has for one round, as it is kept in the role's store until the round is over:
//
//     "key" = round u64 | secret 32
//
// The integer is little-endian. The functions belong to the store's thread.
#pragma once

#include <cstdint>
#include <optional>

#include "muster/service/store/store.h"
#include "muster/wire/bytes.h"
#include "muster/wire/hpke.h"

namespace muster::service {

struct RoundKey {
  std::uint64_t round = 0;
  wire::HpkeKeyPair pair;
};

inline constexpr const char* kRoundKeyBlob = "key";

// Throws Error(file) for a blob of another length: the store is damaged.
std::optional<RoundKey> read_round_key(Store& store);
wire::Buffer encode(const RoundKey& key);

}  // namespace muster::service
