// The accountant for rounds that change on a schedule, with another participation in each stage.
//
// Example: from round 1000 on, a third of the reports is lost.
//     ScheduledAccountant accountant(LdpSgdLocal{2.0}, {{full, 999}, {thinned, 5801}});
//     *accountant.account({Question::Kind::epsilon_at_delta, 1e-5}).best.upper;
//
// A round of each stage is charged by the smallest of its proven bounds; the dominating pairs of all rounds
// compose (composition/different_rounds.h). The schedule must be fixed in advance, or chosen without
// looking at the releases. The neighbouring relation is replace-one. Thread rule: const methods may run
// concurrently (they take turns).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "muster/accounting/gate/gate.h"
#include "muster/accounting/statement.h"
#include "muster/core/types.h"
#include "muster/describe/mechanism.h"
#include "muster/describe/stage.h"

namespace muster::accounting {

class RunningAccountant;

class ScheduledAccountant {
 public:
  // Throws Error(internal) unless there is at least one stage and all are of one protocol.
  ScheduledAccountant(const Mechanism& mechanism, std::vector<Stage> stages);
  ~ScheduledAccountant();

  // The statement for all stages. `asked` is the view, as in Accountant::account.
  Statement account(const Question& question, std::optional<View> asked = std::nullopt) const;
  // The proven upper epsilon of the first `rounds` rounds, at most as many as the stages have;
  // infinity if there is none.
  double epsilon_upper(std::uint64_t rounds, Delta delta) const;

 private:
  RunningAccountant& charged(std::uint64_t rounds, Delta delta) const;
  Rate highest_rate() const;
  // The gate of the stages that the first `rounds` rounds reach.
  Gate gate_of(std::uint64_t rounds, View view) const;
  Bound local_bound(std::uint64_t rounds, const Question& question, View view) const;
  Bound composed_bound(std::uint64_t rounds, const Question& question, View view) const;

  Mechanism mechanism_;
  std::vector<Stage> stages_;
  std::uint64_t rounds_ = 0;
  mutable std::mutex mutex_;
  mutable double delta_ = 0;  // the delta that the tables of running_ are for
  mutable std::unique_ptr<RunningAccountant> running_;
};

}  // namespace muster::accounting
