// The aggregator's signed word that it is done with a batch, upon which the shuffler deletes the batch.
//
//     receipt = version u8 | task 32 | round u64 | manifest 32 | outcome u8 | ledger head 32 | signature 64
//                                                                                          170 bytes
//
// The functions are pure and may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "muster/wire/bytes.h"
#include "muster/wire/signature.h"

namespace muster::wire {

struct Receipt {
  // A spent round is charged, but its batch could not be used.
  enum class Outcome : std::uint8_t { spent = 0, released = 1 };

  Hash task{};
  std::uint64_t round = 0;
  Hash manifest{};  // of the signed manifest's bytes
  Outcome outcome = Outcome::spent;
  Hash ledger_head{};  // of the aggregator's ledger after it wrote the outcome

  bool operator==(const Receipt&) const = default;
};

inline constexpr std::size_t kReceipt = 1 + 32 + 8 + 32 + 1 + 32 + 64;

Buffer sign_receipt(const Receipt& receipt, const SigningKey& aggregator);
// Returns nullopt unless this is a signed receipt of the aggregator.
std::optional<Receipt> read_receipt(Bytes signed_receipt, const IdentityKey& aggregator);

}  // namespace muster::wire
