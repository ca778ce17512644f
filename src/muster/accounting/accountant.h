// The accountant: from a mechanism, a participation and a number of rounds it computes a two-sided
// privacy statement.
//
// Example:
//     ShuffledCheckIn protocol{ClientCount::of(60000), Rate::of(0.1)};
//     Accountant accountant(LdpSgdLocal{2.0}, protocol);
//     Statement s = accountant.account(6800, {Question::Kind::epsilon_at_delta, 1e-5});
//     *s.best.upper;   // proven: the true epsilon is at most this
//
// The neighbouring relation is replace-one. The first query builds the one-round curves, which is slow;
// they are kept, and later queries, for any number of rounds, reuse them. Thread rule: const methods
// may run concurrently.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/core/types.h"
#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"

namespace muster::accounting {

class Accountant {
 public:
  // Throws Error(plan) for a description out of range.
  Accountant(const Mechanism& mechanism, const Participation& participation);
  ~Accountant();
  Accountant(Accountant&&) noexcept;
  Accountant& operator=(Accountant&&) noexcept;

  // Every applicable bound for `rounds` rounds. `asked` is the view, by default the participation's own; a
  // view that no theorem covers throws Error(uncovered).
  Statement account(std::uint64_t rounds, const Question& question,
                    std::optional<View> asked = std::nullopt) const;
  // Adds bounds of other origin to a statement of this accountant. Those that call themselves proven must
  // hold for the participation's own view. They pass the gate and take the statement's lower value; they
  // are left out if the statement's view sees more than that.
  Statement merge(Statement statement, std::vector<Bound> others) const;

  // The smallest proven upper bound alone, in the participation's own view, which training prints at every
  // logged round and calibration searches. 0 for 0 rounds; nullopt where every theorem gives infinity.
  std::optional<double> upper(std::uint64_t rounds, const Question& question) const;
  // The same, but about 1e-3 larger, at a quarter of the cost and without keeping tables:
  // to start a search.
  std::optional<double> rough_upper(std::uint64_t rounds, const Question& question) const;
  // The epsilon of `upper`; infinity if there is none.
  double epsilon_upper(std::uint64_t rounds, Delta delta) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::accounting
