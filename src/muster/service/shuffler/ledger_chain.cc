#include "muster/service/shuffler/ledger_chain.h"

#include "muster/service/ledger/descriptor_of.h"
#include "muster/service/ledger/entry.h"
#include "muster/wire/manifest.h"

namespace muster::service {
namespace {

bool is_honest_void(const VoidEntry& entry, const wire::IdentityKey& shuffler) {
  const auto manifest = wire::read_manifest(entry.manifest, shuffler);
  return manifest && manifest->round == entry.round &&
         manifest->outcome == wire::Manifest::Outcome::destroyed;
}

bool is_outcome(const Entry& entry) {
  return std::holds_alternative<ReleaseEntry>(entry) || std::holds_alternative<SpentEntry>(entry) ||
         std::holds_alternative<VoidEntry>(entry);
}

}  // namespace

std::optional<LedgerPlace> follow(const SeenLedger& seen, std::uint64_t first,
                                  const std::vector<wire::Buffer>& rows, const wire::Descriptor& descriptor,
                                  const wire::IdentityKey& shuffler, std::uint64_t issued) {
  const bool goes_on = first == seen.place.entries;
  if ((!goes_on && first != 0) || rows.empty()) return std::nullopt;
  LedgerPlace place = goes_on ? seen.place : LedgerPlace{};
  std::uint64_t outcomes = 0;
  std::optional<ReadEntry> last;
  for (const wire::Buffer& row : rows) {
    last = read_row(row, place.head, place.entries);
    if (!last) return std::nullopt;
    if (const auto* entry = std::get_if<VoidEntry>(&last->entry)) {
      if (!is_honest_void(*entry, shuffler)) return std::nullopt;
    }
    if (const auto* entry = std::get_if<OpenEntry>(&last->entry)) {
      if (entry->token_key != wire::Hash{} && entry->round > issued) return std::nullopt;
    }
    if (is_outcome(last->entry)) ++outcomes;
    place = {place.entries + 1, last->hash};
  }
  const auto* open = std::get_if<OpenEntry>(&last->entry);
  if (open == nullptr || descriptor_of(*open, descriptor.task, last->hash) != descriptor) return std::nullopt;
  // A ledger has one outcome for each round before the one that it opens.
  if (first == 0 && (outcomes < seen.opened || descriptor.round != outcomes + 1)) return std::nullopt;
  return place;
}

}  // namespace muster::service
