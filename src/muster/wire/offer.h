// What the shuffler tells the aggregator between rounds: how much of the ledger it has seen, and its key for
// the round that may be opened next.
//
//     offer = version u8 | task 32 | opened u64 | entries u64 | head 32 | key 32 | waits u8 | issued u64 |
//             signature 64                                                                          186 bytes
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

// What the shuffler waits for before the next round can be opened, so that operators know it.
enum class Waits : std::uint8_t {
  nothing = 0,    // also while a round is open
  issuer = 1,     // the issuer cannot be reached
  directory = 2,  // a key directory of this task that follows the one before (key_directory.h)
  issuance = 3,   // tokens: too few were issued for the next round, or just enough, and others may follow
};

struct Offer {
  Hash task{};
  std::uint64_t opened = 0;   // rounds that the shuffler has opened
  std::uint64_t entries = 0;  // of the ledger, as far as the shuffler has seen it
  Hash head{};                // the hash of the last of these entries; zero if there are none
  HpkePublicKey key{};        // for round opened + 1; zero while that round cannot be opened
  Waits waits = Waits::nothing;
  std::uint64_t issued = 0;  // tokens of round opened + 1, by the issuer's directory that was seen last

  bool operator==(const Offer&) const = default;
};

inline constexpr std::size_t kOffer = 1 + 32 + 8 + 8 + 32 + 32 + 1 + 8 + 64;

Buffer sign_offer(const Offer& offer, const SigningKey& shuffler);
// Returns nullopt unless this is a signed offer of the shuffler.
std::optional<Offer> read_offer(Bytes signed_offer, const IdentityKey& shuffler);

}  // namespace muster::wire
