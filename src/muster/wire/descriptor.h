// The descriptor of a round: all that a device must know to take part, signed by the aggregator and then by
// the shuffler.
//
//     body   = version u8 | task 32 | round u64 | update u64 | model 32 | frozen 32 | shuffler 32 |
//              aggregator 32 | token key 32 | ledger head 32                                   241 bytes
//     signed = body | signature of the aggregator 64 | signature of the shuffler 64            369 bytes
//
// The shuffler signs the body with the aggregator's signature. Both layers of an upload are bound to the hash
// of the body (upload.h). The functions are pure and may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "muster/wire/bytes.h"
#include "muster/wire/hpke.h"
#include "muster/wire/signature.h"

namespace muster::wire {

struct Descriptor {
  Hash task{};               // the task document's
  std::uint64_t round = 0;   // counts every round that was opened, from 1
  std::uint64_t update = 0;  // how many updates the model has had
  Hash model{}, frozen{};    // of the model's parameters and of its frozen part; zero if nothing is frozen
  HpkePublicKey shuffler{}, aggregator{};  // of this round alone
  Hash token_key{};                        // the id of the issuer's key of this round (RsaPublicKey::id)
  Hash ledger_head{};  // of the aggregator's ledger after it wrote that the round is opened

  bool operator==(const Descriptor&) const = default;
};

inline constexpr std::size_t kDescriptorBody = 1 + 32 + 8 + 8 + 6 * 32;
inline constexpr std::size_t kSignedDescriptor = kDescriptorBody + 2 * 64;

// BLAKE2b-256("muster descriptor" | body).
Hash descriptor_hash(const Descriptor& descriptor);

// The body with the aggregator's signature, for the shuffler.
Buffer sign_descriptor(const Descriptor& descriptor, const SigningKey& aggregator);
// The signed descriptor. Returns nullopt unless `offered` is what sign_descriptor() made with this
// aggregator's key.
std::optional<Buffer> countersign_descriptor(Bytes offered, const IdentityKey& aggregator,
                                             const SigningKey& shuffler);
// The first function reads what sign_descriptor() made, and the second one what countersign_descriptor()
// made. Both return nullopt for any other bytes.
std::optional<Descriptor> read_offered_descriptor(Bytes offered, const IdentityKey& aggregator);
std::optional<Descriptor> read_descriptor(Bytes signed_descriptor, const IdentityKey& aggregator,
                                          const IdentityKey& shuffler);

}  // namespace muster::wire
