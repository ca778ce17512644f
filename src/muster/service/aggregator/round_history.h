// What became of every round of a task, as its ledger tells, and whether the check-ins fit the declared rate.
//
// A history follows a ledger that grows: look() takes the entries that are new, so each signature is checked
// once. A history belongs to one thread.
//
// Example:
//     RoundHistory history(task);
//     history.look(ledger);
//     history.rounds().back().outcome;    // "released"
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "muster/protocols/monitor/check_in_monitor.h"
#include "muster/service/ledger/ledger.h"
#include "muster/service/task/task_document.h"
#include "muster/wire/manifest.h"

namespace muster::service {

// A round that has an outcome.
struct PastRound {
  std::uint64_t round = 0;
  std::string outcome;       // "released", "spent" or "void"
  std::string reason;        // why it was spent (entry.h); else empty
  double epsilon = 0;        // of all rounds charged up to here, as the ledger states it
  std::uint64_t opened = 0;  // rounds opened up to here
  // The shuffler's signed word about a round of this task; nullopt for a round that was charged as lost.
  std::optional<wire::Manifest> manifest = std::nullopt;
  // What its check-ins were compared with; nullopt if they were not.
  std::optional<protocols::CountBand> band = std::nullopt;
};

class RoundHistory {
 public:
  // The task must outlive the history.
  explicit RoundHistory(const TaskDocument& task);

  // Takes the entries that the ledger has got since the last call. Always call it with the same ledger.
  void look(const Ledger& ledger);

  const std::vector<PastRound>& rounds() const { return rounds_; }
  const protocols::CheckInMonitor& check_ins() const { return check_ins_; }

 private:
  void take(const Entry& entry);
  void add(PastRound round, const SignedManifest& manifest);

  const TaskDocument& task_;
  std::size_t entries_ = 0;  // that were taken
  std::uint64_t opened_ = 0;
  double epsilon_ = 0;
  std::vector<PastRound> rounds_;
  protocols::CheckInMonitor check_ins_;
};

}  // namespace muster::service
