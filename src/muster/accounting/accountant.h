// The accountant: a mechanism, a participation and a number of rounds in; a two-sided statement out.
//
// Example:
//     ShuffledCheckIn protocol{ClientCount::of(60000), Rate::of(0.1)};
//     Accountant accountant(LdpSgdLocal{2.0}, protocol);
//     Statement s = accountant.account(6800, {Question::Kind::epsilon_at_delta, 1e-5});
//     *s.best.upper;   // proven, never too small
//
// The neighbouring relation is replace-one for the life of the object. The first query builds the one-round
// curves (the slow part, cached); later ones, for any number of rounds, reuse them. Thread rule: const
// methods may run concurrently.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "muster/accounting/describe/mechanism.h"
#include "muster/accounting/describe/participation.h"
#include "muster/accounting/statement.h"
#include "muster/core/types.h"

namespace muster::accounting {

class Accountant {
 public:
  // Throws Error(plan) for a description out of range.
  Accountant(const Mechanism& mechanism, const Participation& participation);
  ~Accountant();
  Accountant(Accountant&&) noexcept;
  Accountant& operator=(Accountant&&) noexcept;

  // Every applicable bound for `rounds` rounds. `asked`: the view, the participation's own unless given; a
  // view that no theorem covers throws Error(uncovered).
  Statement account(std::uint64_t rounds, const Question& question,
                    std::optional<View> asked = std::nullopt) const;
  // A statement of this accountant with bounds of other origin beside its own. Those that call themselves
  // proven hold for the participation's own view: they pass the gate, take the lower value, and are left out
  // where the statement's view sees more than that one.
  Statement merge(Statement statement, std::vector<Bound> others) const;

  // The smallest proven upper bound alone, in the participation's own view: what training prints at every
  // logged round and calibration searches. 0 rounds: 0. nullopt where every theorem gives infinity.
  std::optional<double> upper(std::uint64_t rounds, const Question& question) const;
  // About 1e-3 larger at a quarter of the cost, nothing kept: for a search to start with.
  std::optional<double> rough_upper(std::uint64_t rounds, const Question& question) const;
  // Its epsilon; infinity for none.
  double epsilon_upper(std::uint64_t rounds, Delta delta) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::accounting
