// Rounds that are not all alike, charged together: the bound `different-rounds`. Internal to Accountant's
// schedules and to Launches.
//
// A kind of round is a mechanism with a participation. Every round is charged by the smallest of its proven
// bounds, or by its local guarantee alone, and the dominating pairs of all rounds compose
// (composition/different_rounds.h), in the order in which they are given. The tables of each kind are kept
// until a question needs them for another delta, so that asking about other numbers of rounds takes little
// time. Thread rule: const methods may run concurrently (they take turns).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "muster/accounting/running_accountant.h"
#include "muster/accounting/statement.h"
#include "muster/core/types.h"
#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// `rounds` rounds of one mechanism and participation, one after another.
struct ChargedRounds {
  Mechanism mechanism;
  Participation participation;
  std::uint64_t rounds;
};

class ComposedRounds {
 public:
  explicit ComposedRounds(ChargedBy by = ChargedBy::smallest_bound) : by_(by) {}

  // Receives an upper value before it is returned, and a function for the same composition's upper delta at
  // any epsilon. Throws if the value must not be reported (gate.h).
  using Check = std::function<void(double upper, const std::function<double(double epsilon)>& delta_at)>;

  // The upper value for all these rounds together; infinite where no bound is finite. Throws what
  // `check` throws.
  double upper(const std::vector<ChargedRounds>& rounds, const Question& question, const Check& check) const;
  // Sets the upper and lower value and the numerical error of `bound`, and adds to its assumptions those of
  // the theorems by which these rounds are charged (none for local guarantees).
  void answer(Bound& bound, const std::vector<ChargedRounds>& rounds, const Question& question,
              const Check& check) const;

 private:
  // Whoever calls these two holds mutex_. The first returns the account with these rounds charged, from
  // tables for `delta`; the second answers the question for all of them, from tables for this question.
  RunningAccountant& charged(const std::vector<ChargedRounds>& rounds, Delta delta) const;
  std::pair<numerics::Enclosure, const RunningAccountant*> composed(const std::vector<ChargedRounds>& rounds,
                                                                    const Question& question,
                                                                    const Check& check) const;

  ChargedBy by_;
  mutable std::mutex mutex_;
  mutable double delta_ = 0;  // the delta that the tables of running_ are for
  mutable std::unique_ptr<RunningAccountant> running_;
};

}  // namespace muster::accounting
