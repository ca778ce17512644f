// The accountant computes a two-sided privacy statement, an upper and a lower bound on epsilon or delta, from
// a mechanism, a participation and a number of rounds.
//
// Example:
//     ShuffledCheckIn protocol{ClientCount::of(60000), Rate::of(0.1)};
//     Accountant accountant(LdpSgdLocal{2.0}, protocol);
//     Statement s = accountant.account(6800, {Question::Kind::epsilon_at_delta, 1e-5});
//     *s.best.upper;   // proven: the true epsilon is at most this
// Rounds may change on a schedule. Here, a third of the reports is lost from round 1000 on, so the rate of
// `thinned` is two thirds of the rate of `protocol`:
//     Accountant changing(LdpSgdLocal{2.0}, {{protocol, 999}, {thinned, 5801}});
//     Statement all = changing.account({Question::Kind::epsilon_at_delta, 1e-5});
//
// The neighbouring relation is replace-one. A schedule must be fixed in advance, or chosen without looking
// at the releases. On a schedule, every round is charged by the smallest of its proven bounds, and the
// dominating pairs of all rounds compose. The first question builds tables of the one-round curves, which
// is slow. Later questions reuse these tables, unless the new number of rounds or the new delta needs
// others. Const methods may run concurrently.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/core/types.h"
#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"
#include "muster/describe/stage.h"

namespace muster::accounting {

class Accountant {
 public:
  // Makes an accountant for any number of rounds that are all alike.
  Accountant(const Mechanism& mechanism, const Participation& participation);
  // Makes an accountant for stages that follow one another. With a single stage, any number of its rounds may
  // be asked about; with several stages, at most as many rounds as they have together. Throws Error(plan)
  // unless there is at least one stage, all are of one protocol, and they have at most kMaxRounds together.
  Accountant(const Mechanism& mechanism, std::vector<Stage> stages);
  ~Accountant();
  Accountant(Accountant&&) noexcept;
  Accountant& operator=(Accountant&&) noexcept;

  // Returns the statement for the first `rounds` rounds, with every applicable bound. `asked` is the view,
  // by default the participation's own; a view that no theorem covers throws Error(uncovered). Every method
  // with an argument `rounds` throws Error(plan) if it is above kMaxRounds or, if there are several stages,
  // above the number of rounds that they have together.
  Statement account(std::uint64_t rounds, const Question& question,
                    std::optional<View> asked = std::nullopt) const;
  // Returns the statement for all rounds of the stages. Throws Error(plan) if the accountant was made
  // without stages.
  Statement account(const Question& question, std::optional<View> asked = std::nullopt) const;
  // Adds bounds that were computed elsewhere to a statement of this accountant. Proven bounds among them must
  // hold in the participation's own view. The gate checks these proven bounds and throws Error(internal) if
  // one fails. If the statement's view shows more than the participation's own, these proven bounds need not
  // hold in it and are left out. The added bounds get the statement's lower value. A statement for 0 rounds
  // is returned unchanged.
  Statement merge(Statement statement, std::vector<Bound> others) const;

  // Returns the smallest proven upper value alone, in the participation's own view. It is 0 for 0 rounds,
  // and nullopt if every theorem gives infinity.
  std::optional<double> upper(std::uint64_t rounds, const Question& question) const;
  // The validity and the neighbouring relation of the answers of upper() and epsilon_upper(); the view is the
  // participation's own.
  static constexpr Validity kValidity = Validity::proven;
  static constexpr Neighbouring kNeighbouring = Neighbouring::replace_one;
  // Returns a looser bound than upper(), which takes a third of the time or less and is not checked by the
  // gate. It serves to start a search. It is larger than upper() by about a relative 1e-3, or by a few per
  // cent where rounds are charged by types (composition/typed_rounds.h). With several stages, it equals
  // upper().
  std::optional<double> rough_upper(std::uint64_t rounds, const Question& question) const;
  // Returns the answer of upper() to the question for epsilon at `delta`, or infinity if upper() returns
  // nullopt.
  double epsilon_upper(std::uint64_t rounds, Delta delta) const;
  // Says which rounds no theorem covers in the participation's own view, and why, for example "rounds 1 to 2:
  // no theorem for ...". These are charged without amplification, by what the messages alone guarantee. The
  // text is empty if theorems cover all rounds.
  std::string unamplified() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::accounting
