#include "muster/wire/descriptor.h"

#include "muster/wire/hash.h"
#include "muster/wire/upload.h"

namespace muster::wire {
namespace {

constexpr std::string_view kKind = "descriptor", kCountersigned = "countersigned descriptor";
constexpr std::size_t kOffered = kDescriptorBody + 64;

Buffer body_of(const Descriptor& d) {
  return FieldWriter(kSignedDescriptor)
      .integer(kWireVersion)
      .bytes(d.task)
      .integer(d.round)
      .integer(d.update)
      .bytes(d.model)
      .bytes(d.frozen)
      .bytes(d.shuffler)
      .bytes(d.aggregator)
      .bytes(d.token_key)
      .bytes(d.ledger_head)
      .take();
}

}  // namespace

Hash descriptor_hash(const Descriptor& descriptor) {
  return hash_of({bytes_of("muster descriptor"), body_of(descriptor)});
}

Buffer sign_descriptor(const Descriptor& descriptor, const SigningKey& aggregator) {
  return with_signature(body_of(descriptor), kKind, aggregator);
}

std::optional<Descriptor> read_offered_descriptor(Bytes offered, const IdentityKey& aggregator) {
  if (offered.size() != kOffered || !signature_holds(offered, kKind, aggregator)) return std::nullopt;
  FieldReader fields(offered);
  if (fields.integer<std::uint8_t>() != kWireVersion) return std::nullopt;
  Descriptor d;
  d.task = fields.array<32>();
  d.round = fields.integer<std::uint64_t>();
  d.update = fields.integer<std::uint64_t>();
  d.model = fields.array<32>();
  d.frozen = fields.array<32>();
  d.shuffler = fields.array<32>();
  d.aggregator = fields.array<32>();
  d.token_key = fields.array<32>();
  d.ledger_head = fields.array<32>();
  return d;
}

std::optional<Buffer> countersign_descriptor(Bytes offered, const IdentityKey& aggregator,
                                             const SigningKey& shuffler) {
  if (!read_offered_descriptor(offered, aggregator)) return std::nullopt;
  return with_signature({offered.begin(), offered.end()}, kCountersigned, shuffler);
}

std::optional<Descriptor> read_descriptor(Bytes signed_descriptor, const IdentityKey& aggregator,
                                          const IdentityKey& shuffler) {
  if (signed_descriptor.size() != kSignedDescriptor) return std::nullopt;
  if (!signature_holds(signed_descriptor, kCountersigned, shuffler)) return std::nullopt;
  return read_offered_descriptor(signed_descriptor.first(kOffered), aggregator);
}

}  // namespace muster::wire
