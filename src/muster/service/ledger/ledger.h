// The aggregator's ledger: a chain of entries that says what every round cost, and that only grows.
//
// Entries are appended in one order alone: the task; then for each round its opening, followed by exactly one
// of release, spent and void; then perhaps the end. A ledger that was changed, cut in the middle or reordered
// is refused and the first wrong entry named. (One that was cut at its end is a shorter ledger: the shuffler,
// which keeps the last head that it signed, notices that.) A ledger belongs to one thread.
//
// Example:
//     Ledger ledger(store, "ledger.db");
//     ledger.append(OpenEntry{...});                                   // before the descriptor is signed
//     ledger.append(ReleaseEntry{...}, {.put = {{"model", bytes}}});   // entry and model, together
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "muster/service/ledger/entry.h"
#include "muster/service/store/store.h"

namespace muster::service {

class Ledger {
 public:
  // What a ledger has counted so far.
  struct Counts {
    std::uint64_t opened = 0, released = 0, spent = 0, voided = 0;
    std::uint64_t charged() const { return released + spent; }
    bool operator==(const Counts&) const = default;
  };

  // Reads all entries of the store, which must outlive the ledger. Throws Error(file), with `origin` for its
  // key and the number of the first wrong entry in words.
  Ledger(Store& store, std::string origin);

  const std::vector<Entry>& entries() const { return entries_; }
  const std::vector<wire::Hash>& hashes() const { return hashes_; }  // of the entries, in the same order
  const Counts& counts() const { return counts_; }
  // The hash of the last entry; zero if there is none.
  const wire::Hash& head() const { return head_; }
  // Whether this was the ledger's head at some time.
  bool has_had(const wire::Hash& head) const;
  // The round that was opened and has no outcome yet.
  const std::optional<OpenEntry>& open_round() const { return open_; }
  bool ended() const { return ended_; }
  // The epsilon of the rounds charged so far, as the last entry that charges one states it; 0 before.
  double epsilon() const { return epsilon_; }

  // Appends the entry, together with the other changes, and returns when they are durable. Throws
  // Error(internal) for an entry that may not follow, and what the store throws.
  void append(const Entry& entry, Store::Commit beside = {});

 private:
  // Why the entry may not follow those before it; nullptr if it may.
  const char* misplaced(const Entry& entry) const;
  void take(const Entry& entry, const wire::Hash& hash);

  Store& store_;
  std::string origin_;
  std::vector<Entry> entries_;
  std::vector<wire::Hash> hashes_;
  wire::Hash head_{};
  Counts counts_;
  std::optional<OpenEntry> open_;
  bool ended_ = false;
  double epsilon_ = 0;
};

}  // namespace muster::service
