// This is the accountant for rounds whose participation changes from stage to stage. It is internal to
// Accountant, which uses it for several stages.
//
// Every round is charged by the smallest of its proven bounds, and the dominating pairs of all rounds
// compose (composition/different_rounds.h). The methods are those of Accountant; accountant.h says what
// they mean. Const methods may be called concurrently; they take turns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "muster/accounting/composed_rounds.h"
#include "muster/accounting/constant_accountant.h"
#include "muster/accounting/statement.h"
#include "muster/core/types.h"
#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"
#include "muster/describe/stage.h"
#include "muster/gate/gate.h"
#include "muster/theorems/local/local.h"

namespace muster::accounting {

class ScheduledAccountant {
 public:
  // Throws Error(plan) unless there is at least one stage, all are of one protocol, and they have at most
  // kMaxRounds together.
  ScheduledAccountant(const Mechanism& mechanism, std::vector<Stage> stages);

  // Throws Error(plan) for more rounds than the stages have. As long as only the first stage is reached, all
  // rounds are alike, and a ConstantAccountant answers in every view that has a theorem. If later stages are
  // reached, the view must be the protocol's own or shuffler_colludes; any other throws Error(uncovered).
  Statement account(std::uint64_t rounds, const Question& question, std::optional<View> asked) const;
  std::optional<double> upper(std::uint64_t rounds, const Question& question) const;
  std::optional<double> rough_upper(std::uint64_t rounds, const Question& question) const {
    return upper(rounds, question);
  }
  // Returns the gate of the stages that the first `rounds` rounds reach.
  Gate gate(std::uint64_t rounds, View view) const;
  View own() const { return own_view(stages_.front().participation); }
  std::string unamplified() const;

 private:
  // Returns the stages that the first `rounds` rounds reach, with the last of these stages cut short.
  std::vector<Stage> reached(std::uint64_t rounds) const;
  bool only_first(std::uint64_t rounds) const { return rounds <= stages_.front().rounds; }
  const LocalCost& local(std::uint64_t rounds) const;
  double checked_local(std::uint64_t rounds, const Question& question, View view) const;
  Bound local_bound(std::uint64_t rounds, const Question& question, View view) const;
  std::vector<ChargedRounds> charged(std::uint64_t rounds) const;
  // Returns the gate's check that every composed value of these rounds must pass.
  ComposedRounds::Check check(std::uint64_t rounds, const Question& question) const;
  Bound composed_bound(std::uint64_t rounds, const Question& question) const;

  Mechanism mechanism_;
  std::vector<Stage> stages_;  // the stages that have rounds; the first stage if none has
  std::uint64_t rounds_;
  ConstantAccountant first_;
  ComposedRounds composed_;
  // Element k - 1 has the local cost at the highest rate of the first k stages.
  std::vector<LocalCost> local_;
};

}  // namespace muster::accounting
