#include "muster/wire/offer.h"

#include "muster/wire/upload.h"

namespace muster::wire {
namespace {

constexpr std::string_view kKind = "offer";

}  // namespace

Buffer sign_offer(const Offer& o, const SigningKey& shuffler) {
  return with_signature(FieldWriter(kOffer)
                            .integer(kWireVersion)
                            .bytes(o.task)
                            .integer(o.opened)
                            .integer(o.entries)
                            .bytes(o.head)
                            .bytes(o.key)
                            .integer(static_cast<std::uint8_t>(o.waits))
                            .integer(o.issued)
                            .take(),
                        kKind, shuffler);
}

std::optional<Offer> read_offer(Bytes signed_offer, const IdentityKey& shuffler) {
  if (signed_offer.size() != kOffer || !signature_holds(signed_offer, kKind, shuffler)) return std::nullopt;
  FieldReader fields(signed_offer);
  if (fields.integer<std::uint8_t>() != kWireVersion) return std::nullopt;
  Offer o;
  o.task = fields.array<32>();
  o.opened = fields.integer<std::uint64_t>();
  o.entries = fields.integer<std::uint64_t>();
  o.head = fields.array<32>();
  o.key = fields.array<kHpkeKey>();
  const auto waits = fields.integer<std::uint8_t>();
  if (waits > static_cast<std::uint8_t>(Waits::issuance)) return std::nullopt;
  o.waits = static_cast<Waits>(waits);
  o.issued = fields.integer<std::uint64_t>();
  return o;
}

}  // namespace muster::wire
