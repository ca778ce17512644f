// Charges together rounds that are not all alike, which gives the bound with the id `different-rounds`. This
// file is internal to Accountant's schedules and to Launches.
//
// A kind of round is a mechanism with a participation. Every round is charged by the smallest of its proven
// bounds, or only by its local guarantee, and the dominating pairs of all rounds compose
// (composition/different_rounds.h), in the given order. The tables of each kind are kept until a question
// needs them for another delta, so asking about other numbers of rounds takes little time. Const methods
// may be called concurrently; they take turns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "muster/accounting/running_accountant.h"
#include "muster/accounting/statement.h"
#include "muster/composition/loss_table.h"
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
  std::size_t launch = 0;  // the launch that has these rounds, counted from 1; 0 if there is only one
};

class ComposedRounds {
 public:
  // `all` are all rounds that a question may include; every question is about some of them. The number of
  // different kinds among them sets how much work the tables of one kind may take.
  explicit ComposedRounds(const std::vector<ChargedRounds>& all, ChargedBy by = ChargedBy::smallest_bound);

  // A check is called with each upper value before it is returned, and with a function that gives the same
  // composition's upper delta at any epsilon. It throws if the value must not be reported (gate.h).
  using Check = std::function<void(double upper, const std::function<double(double epsilon)>& delta_at)>;

  // Returns the upper value for all these rounds together. It is infinite where no bound is finite. Throws
  // what `check` throws.
  double upper(const std::vector<ChargedRounds>& rounds, const Question& question, const Check& check) const;
  // Sets the upper and lower value and the numerical error of `bound`. Appends to its assumptions those of
  // the theorems that charge these rounds, and the rounds that no theorem covers, with the reason. If rounds
  // are charged by their local guarantees only, appends nothing. Throws what `check` throws.
  void answer(Bound& bound, const std::vector<ChargedRounds>& rounds, const Question& question,
              const Check& check) const;

  // Returns a pair that dominates all these rounds together (composition/loss_table.h), for deltas down to
  // `least`: the mass that is charged as infinite loss is negligible compared with `least`. If `spacing` is
  // positive, the losses are multiples of it. Otherwise, the losses of a single round are on the lattice of
  // its own table, and those of several rounds on a lattice that is fine compared with their size. `rounds`
  // must have at least one round.
  LossTable losses(const std::vector<ChargedRounds>& rounds, Delta least, double spacing) const;

 private:
  // The caller of charged() or composed() must hold mutex_. charged() returns the account after these
  // rounds, with tables made for `delta` by this share of the allowed work. composed() also answers the
  // question, and chooses the delta of the tables for it.
  RunningAccountant& charged(const std::vector<ChargedRounds>& rounds, Delta delta, double share) const;
  std::pair<numerics::Enclosure, const RunningAccountant*> composed(const std::vector<ChargedRounds>& rounds,
                                                                    const Question& question,
                                                                    const Check& check) const;

  ChargedBy by_;
  mutable std::mutex mutex_;
  std::shared_ptr<RoundKinds> curves_;
  mutable double delta_ = 0,
                 share_ = 1;  // the delta and the share for which the tables of running_ were made
  mutable std::unique_ptr<RunningAccountant> running_;
};

}  // namespace muster::accounting
