#include "muster/wire/receipt.h"

#include "muster/wire/upload.h"

namespace muster::wire {
namespace {

constexpr std::string_view kKind = "receipt";

}  // namespace

Buffer sign_receipt(const Receipt& r, const SigningKey& aggregator) {
  return with_signature(FieldWriter(kReceipt)
                            .integer(kWireVersion)
                            .bytes(r.task)
                            .integer(r.round)
                            .bytes(r.manifest)
                            .integer(static_cast<std::uint8_t>(r.outcome))
                            .bytes(r.ledger_head)
                            .take(),
                        kKind, aggregator);
}

std::optional<Receipt> read_receipt(Bytes signed_receipt, const IdentityKey& aggregator) {
  if (signed_receipt.size() != kReceipt || !signature_holds(signed_receipt, kKind, aggregator)) {
    return std::nullopt;
  }
  FieldReader fields(signed_receipt);
  if (fields.integer<std::uint8_t>() != kWireVersion) return std::nullopt;
  Receipt r;
  r.task = fields.array<32>();
  r.round = fields.integer<std::uint64_t>();
  r.manifest = fields.array<32>();
  const auto outcome = fields.integer<std::uint8_t>();
  r.outcome = static_cast<Receipt::Outcome>(outcome);
  r.ledger_head = fields.array<32>();
  return outcome <= 1 ? std::optional(r) : std::nullopt;
}

}  // namespace muster::wire
