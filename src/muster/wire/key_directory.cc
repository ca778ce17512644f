#include "muster/wire/key_directory.h"

#include <algorithm>

#include "muster/wire/upload.h"

namespace muster::wire {
namespace {

constexpr std::string_view kKind = "key directory";
constexpr std::size_t kHead = 1 + 32 + 8 + 8 + 8 + 4, kEntry = 8 + kRsa + 8;

bool in_order(const std::vector<KeyDirectory::Entry>& entries) {
  return std::ranges::adjacent_find(
             entries, [](const auto& a, const auto& b) { return a.round >= b.round; }) == entries.end();
}

}  // namespace

Buffer sign_key_directory(const KeyDirectory& d, const SigningKey& issuer) {
  if (d.entries.size() > kMaxDirectoryEntries || !in_order(d.entries)) {
    throw Error(ErrorCode::internal, "key directory", "", "", "is too long or not in order");
  }
  FieldWriter fields(kHead + kEntry * d.entries.size() + 64);
  fields.integer(kWireVersion).bytes(d.task).integer(d.serial).integer(d.enrolled).integer(d.released);
  fields.integer(static_cast<std::uint32_t>(d.entries.size()));
  for (const KeyDirectory::Entry& entry : d.entries) {
    fields.integer(entry.round).bytes(entry.modulus).integer(entry.issued);
  }
  return with_signature(fields.take(), kKind, issuer);
}

std::optional<KeyDirectory> read_key_directory(Bytes signed_directory, const IdentityKey& issuer) {
  const std::size_t size = signed_directory.size();
  if (size < kHead + 64 || size > kHead + kEntry * kMaxDirectoryEntries + 64) return std::nullopt;
  FieldReader fields(signed_directory);
  if (fields.integer<std::uint8_t>() != kWireVersion) return std::nullopt;
  KeyDirectory d;
  d.task = fields.array<32>();
  d.serial = fields.integer<std::uint64_t>();
  d.enrolled = fields.integer<std::uint64_t>();
  d.released = fields.integer<std::uint64_t>();
  const auto count = fields.integer<std::uint32_t>();
  if (size != kHead + kEntry * std::uint64_t{count} + 64) return std::nullopt;
  if (!signature_holds(signed_directory, kKind, issuer)) return std::nullopt;
  for (std::uint32_t i = 0; i < count; ++i) {
    KeyDirectory::Entry& entry = d.entries.emplace_back();
    entry.round = fields.integer<std::uint64_t>();
    entry.modulus = fields.array<kRsa>();
    entry.issued = fields.integer<std::uint64_t>();
    if (!is_modulus(entry.modulus)) return std::nullopt;
  }
  return in_order(d.entries) ? std::optional(std::move(d)) : std::nullopt;
}

bool follows(const KeyDirectory& later, const KeyDirectory& seen) {
  if (later == seen) return true;
  if (later.task != seen.task || later.serial <= seen.serial) return false;
  if (later.enrolled < seen.enrolled || later.released < seen.released) return false;
  return std::ranges::all_of(later.entries, [&](const KeyDirectory::Entry& entry) {
    const auto before = std::ranges::find(seen.entries, entry.round, &KeyDirectory::Entry::round);
    return before == seen.entries.end() ||
           (before->modulus == entry.modulus && before->issued <= entry.issued);
  });
}

}  // namespace muster::wire
