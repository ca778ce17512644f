// What the shuffler tells the aggregator between rounds: how much of the ledger it has seen, and its key for
// the round that may be opened next.
//
//     offer = version u8 | task 32 | opened u64 | entries u64 | head 32 | key 32 | signature 64     177 bytes
//
// The functions are pure and may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "muster/wire/bytes.h"
#include "muster/wire/hpke.h"
#include "muster/wire/signature.h"

namespace muster::wire {

struct Offer {
  Hash task{};
  std::uint64_t opened = 0;   // rounds that the shuffler has opened
  std::uint64_t entries = 0;  // of the ledger, as the aggregator signed it last
  Hash head{};                // the hash of the last of these entries; zero if there are none
  HpkePublicKey key{};        // for round opened + 1; zero while that round cannot be opened

  bool operator==(const Offer&) const = default;
};

inline constexpr std::size_t kOffer = 1 + 32 + 8 + 8 + 32 + 32 + 64;

Buffer sign_offer(const Offer& offer, const SigningKey& shuffler);
// Returns nullopt unless this is a signed offer of the shuffler.
std::optional<Offer> read_offer(Bytes signed_offer, const IdentityKey& shuffler);

}  // namespace muster::wire
