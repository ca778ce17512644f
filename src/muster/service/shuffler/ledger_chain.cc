#include "muster/service/shuffler/ledger_chain.h"

#include <variant>

#include "muster/service/ledger/descriptor_of.h"
#include "muster/service/ledger/entry.h"
#include "muster/wire/manifest.h"

namespace muster::service {
namespace {

// Follows a ledger row by row.
class Follower {
 public:
  Follower(const SeenLedger& from, const wire::Hash& task, const wire::IdentityKey& shuffler,
           std::uint64_t issued)
      : seen_(from), task_(task), shuffler_(shuffler), issued_(issued) {}

  // Returns whether the row may follow.
  bool take(const wire::Buffer& row) {
    const auto read = read_row(row, seen_.place.head, seen_.place.entries);
    if (!read) return false;
    seen_.place = {seen_.place.entries + 1, read->hash};
    descriptor_.reset();
    return std::visit([&](const auto& entry) { return follows(entry, read->hash); }, read->entry);
  }

  const SeenLedger& seen() const { return seen_; }
  // The round that the last row opens; nullopt if it opens none.
  const std::optional<wire::Descriptor>& descriptor() const { return descriptor_; }

 private:
  bool follows(const OpenEntry& open, const wire::Hash& hash) {
    if (open.round != seen_.outcomes + 1) return false;
    if (open.token_key != wire::Hash{} && open.round > issued_) return false;
    descriptor_ = opened_ = descriptor_of(open, task_, hash);
    return true;
  }
  bool follows(const VoidEntry& entry, const wire::Hash&) {
    const auto manifest = wire::read_manifest(entry.manifest, shuffler_);
    if (!manifest || manifest->task != task_ || manifest->round != entry.round ||
        manifest->outcome != wire::Manifest::Outcome::destroyed) {
      return false;
    }
    // The row that opened the round may have been seen before.
    if (opened_ && manifest->descriptor != wire::descriptor_hash(*opened_)) return false;
    return has_outcome(entry.round);
  }
  bool follows(const ReleaseEntry& entry, const wire::Hash&) { return is_charged(entry.round); }
  bool follows(const SpentEntry& entry, const wire::Hash&) { return is_charged(entry.round); }
  bool follows(const TaskEntry&, const wire::Hash&) { return true; }
  bool follows(const EndEntry&, const wire::Hash&) { return true; }

  bool is_charged(std::uint64_t round) {
    ++seen_.charged;
    return has_outcome(round);
  }
  bool has_outcome(std::uint64_t round) {
    opened_.reset();
    return round == ++seen_.outcomes;
  }

  SeenLedger seen_;
  wire::Hash task_;
  wire::IdentityKey shuffler_;
  std::uint64_t issued_;
  // The round that is open, if its row was among those that were taken, and the same if that row was the
  // last one.
  std::optional<wire::Descriptor> opened_, descriptor_;
};

}  // namespace

std::optional<SeenLedger> follow(const SeenLedger& seen, std::uint64_t first,
                                 const std::vector<wire::Buffer>& rows, const wire::Descriptor& descriptor,
                                 const wire::IdentityKey& shuffler, std::uint64_t issued) {
  const bool goes_on = first == seen.place.entries;
  if ((!goes_on && first != 0) || rows.empty()) return std::nullopt;
  Follower follower(goes_on ? seen : SeenLedger{}, descriptor.task, shuffler, issued);
  for (const wire::Buffer& row : rows) {
    if (!follower.take(row)) return std::nullopt;
  }
  if (follower.descriptor() != descriptor || descriptor.round <= seen.opened) return std::nullopt;
  SeenLedger after = follower.seen();
  after.opened = descriptor.round;
  return after;
}

}  // namespace muster::service
