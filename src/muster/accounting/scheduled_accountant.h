// The accountant of rounds that change on a schedule: who takes part is another law in each stage.
//
// Example: from round 1000 on a third of the reports is lost.
//     ScheduledAccountant accountant(LdpSgdLocal{2.0}, {{full, 999}, {thinned, 5801}});
//     *accountant.account({Question::Kind::epsilon_at_delta, 1e-5}).best.upper;
//
// Each stage's round has the smallest of its proven bounds; the dominating pairs of all rounds compose
// exactly (composition/different_rounds.h). The schedule must be fixed in advance, or chosen without looking
// at the releases. Replace-one. Thread rule: const methods may run concurrently (they take turns).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "muster/accounting/describe/mechanism.h"
#include "muster/accounting/describe/participation.h"
#include "muster/accounting/gate/gate.h"
#include "muster/accounting/statement.h"
#include "muster/core/types.h"

namespace muster::accounting {

// So many rounds of one participation.
struct Stage {
  Participation participation;
  std::uint64_t rounds;
  bool operator==(const Stage&) const = default;
};

class RunningAccountant;

class ScheduledAccountant {
 public:
  // At least one stage, all of one protocol, else Error(internal).
  ScheduledAccountant(const Mechanism& mechanism, std::vector<Stage> stages);
  ~ScheduledAccountant();

  // All stages. `asked`: as Accountant::account.
  Statement account(const Question& question, std::optional<View> asked = std::nullopt) const;
  // The proven upper epsilon of the first `rounds` rounds, at most as many
  // as the stages have; infinity for none.
  double epsilon_upper(std::uint64_t rounds, Delta delta) const;

 private:
  RunningAccountant& charged(std::uint64_t rounds, Delta delta) const;
  Rate highest_rate() const;
  Gate gate_of(std::uint64_t rounds, View view) const;  // of the stages that so many rounds reach
  Bound local_bound(std::uint64_t rounds, const Question& question, View view) const;
  Bound composed_bound(std::uint64_t rounds, const Question& question, View view) const;

  Mechanism mechanism_;
  std::vector<Stage> stages_;
  std::uint64_t rounds_ = 0;
  mutable std::mutex mutex_;
  mutable double delta_ = 0;  // of the tables
  mutable std::unique_ptr<RunningAccountant> running_;
};

}  // namespace muster::accounting
