#include "muster/wire/manifest.h"

#include "muster/wire/upload.h"

namespace muster::wire {
namespace {

constexpr std::string_view kKind = "manifest";

bool consistent(const Manifest& m) {
  if (m.outcome == Manifest::Outcome::released) return m.reports <= m.heard && m.width > 0;
  return m.reports == 0 && m.width == 0 && m.batch == Hash{};
}

}  // namespace

const char* name_of(Rejected reason) {
  switch (reason) {
    case Rejected::length:
      return "length";
    case Rejected::version:
      return "version";
    case Rejected::layer:
      return "layer";
    case Rejected::token:
      return "token";
    case Rejected::repeated:
      return "repeated";
    case Rejected::late:
      return "late";
  }
  return "unknown";
}

Buffer sign_manifest(const Manifest& m, const SigningKey& shuffler) {
  if (!consistent(m)) throw Error(ErrorCode::internal, "manifest", "", "", "contradicts itself");
  FieldWriter fields(kManifest);
  fields.integer(kWireVersion)
      .bytes(m.task)
      .integer(m.round)
      .bytes(m.descriptor)
      .integer(static_cast<std::uint8_t>(m.outcome))
      .integer(m.heard)
      .integer(m.reports)
      .integer(m.width)
      .bytes(m.batch);
  for (const std::uint64_t count : m.rejected) fields.integer(count);
  return with_signature(fields.take(), kKind, shuffler);
}

std::optional<Manifest> read_manifest(Bytes signed_manifest, const IdentityKey& shuffler) {
  if (signed_manifest.size() != kManifest || !signature_holds(signed_manifest, kKind, shuffler)) {
    return std::nullopt;
  }
  FieldReader fields(signed_manifest);
  if (fields.integer<std::uint8_t>() != kWireVersion) return std::nullopt;
  Manifest m;
  m.task = fields.array<32>();
  m.round = fields.integer<std::uint64_t>();
  m.descriptor = fields.array<32>();
  const auto outcome = fields.integer<std::uint8_t>();
  m.outcome = static_cast<Manifest::Outcome>(outcome);
  m.heard = fields.integer<std::uint64_t>();
  m.reports = fields.integer<std::uint64_t>();
  m.width = fields.integer<std::uint32_t>();
  m.batch = fields.array<32>();
  for (std::uint64_t& count : m.rejected) count = fields.integer<std::uint64_t>();
  return outcome <= 1 && consistent(m) ? std::optional(m) : std::nullopt;
}

}  // namespace muster::wire
