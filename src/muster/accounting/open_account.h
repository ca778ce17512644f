// Charges rounds one after another, as they happen, and states what all of them together cost, after any of
// them. Rounds may be of any mechanism, protocol and rate.
//
// Example: noise is doubled after a thousand rounds; `often` is a participation.
//     OpenAccount account;
//     account.charge(GaussianLocal{5}, often, 1000);
//     account.charge(GaussianLocal{10}, often, 500);
//     *account.statement({Question::Kind::epsilon_at_delta, 1e-5}).best.upper;   // proven for all rounds
//
// If all rounds are alike, the statement is that of an Accountant. Otherwise every round is charged by the
// smallest of its proven bounds, and the dominating pairs of all rounds compose, as for Launches; the
// adversary sees each round in its protocol's own view. The neighbouring relation is replace-one: the victim
// holds the same record in all rounds. What is charged must be fixed in advance, or chosen without looking at
// the releases. Tables are kept until a round of a new kind is charged, and copies share them. Const methods
// may run concurrently; they take turns where rounds differ.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "muster/accounting/composed_rounds.h"
#include "muster/accounting/statement.h"
#include "muster/composition/loss_table.h"
#include "muster/core/types.h"
#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"
#include "muster/describe/question.h"

namespace muster::accounting {

class OpenAccount {
 public:
  OpenAccount();

  // Throws Error(plan) and charges nothing if all rounds together would be more than kMaxRounds.
  void charge(const Mechanism& mechanism, const Participation& participation, std::uint64_t rounds = 1);

  std::uint64_t rounds() const { return rounds_; }
  // The charges in order. Charges of one kind that follow each other are one element.
  const std::vector<ChargedRounds>& charges() const { return charges_; }

  // Returns the statement for everything charged so far. Before any charge, its values are 0. Throws what
  // Accountant::account throws.
  Statement statement(const Question& question) const;

  // Returns a pair that dominates everything charged so far, for deltas down to `least`, so that other
  // programs can compose it with what else is released (ComposedRounds::losses). Throws Error(plan), with the
  // key "spacing", if `spacing` is so small that the pair would have more than kMostLosses lattice points.
  LossTable losses(Delta least, double spacing = 0) const;
  static constexpr std::int64_t kMostLosses = 1 << 22;

 private:
  struct Tables;
  Statement statement_of_different(const Question& question) const;

  std::vector<ChargedRounds> charges_;
  std::uint64_t rounds_ = 0;
  std::shared_ptr<const Tables> tables_;  // of all kinds in charges_
};

}  // namespace muster::accounting
