#include "muster/service/shuffler/shuffler_state.h"

#include <fmt/format.h>

#include "muster/service/store/sized_blob.h"

namespace muster::service {
namespace {

using wire::Buffer;
using wire::FieldReader;
using wire::FieldWriter;

constexpr std::size_t kLedger = 8 + 8 + 32 + 8 + 8, kRound = wire::kSignedDescriptor + 8 + 8 + wire::kRsa;

}  // namespace

std::optional<SeenLedger> read_ledger(Store& store) {
  const auto blob = sized_blob(store, "ledger", kLedger);
  if (!blob) return std::nullopt;
  FieldReader fields(*blob);
  SeenLedger ledger;
  ledger.opened = fields.integer<std::uint64_t>();
  ledger.place.entries = fields.integer<std::uint64_t>();
  ledger.place.head = fields.array<32>();
  ledger.outcomes = fields.integer<std::uint64_t>();
  ledger.charged = fields.integer<std::uint64_t>();
  return ledger;
}

Buffer encode(const SeenLedger& ledger) {
  return FieldWriter(kLedger)
      .integer(ledger.opened)
      .integer(ledger.place.entries)
      .bytes(ledger.place.head)
      .integer(ledger.outcomes)
      .integer(ledger.charged)
      .take();
}

std::optional<StoredRound> read_round(Store& store) {
  const auto blob = sized_blob(store, "round", kRound);
  if (!blob) return std::nullopt;
  FieldReader fields(*blob);
  const wire::Bytes descriptor = fields.bytes(wire::kSignedDescriptor);
  StoredRound round;
  round.descriptor.assign(descriptor.begin(), descriptor.end());
  round.deadline_ms = static_cast<std::int64_t>(fields.integer<std::uint64_t>());
  round.issued = fields.integer<std::uint64_t>();
  round.modulus = fields.array<wire::kRsa>();
  return round;
}

Buffer encode(const StoredRound& round) {
  return FieldWriter(kRound)
      .bytes(round.descriptor)
      .integer(static_cast<std::uint64_t>(round.deadline_ms))
      .integer(round.issued)
      .bytes(round.modulus)
      .take();
}

std::string uploads_of(std::uint64_t round) { return fmt::format("uploads-{}", round); }
std::string batch_of(std::uint64_t round) { return fmt::format("batch-{}", round); }

}  // namespace muster::service
