// Several launches on one population: what all of them together cost a client who takes part in each. A
// launch is what one Accountant accounts for: a mechanism, and stages of rounds.
//
// Example: a model is trained, and later its successor with more noise; `often` and `rarely` are
// participations.
//     const Launches both({{LdpSgdLocal{2}, {{often, 1000}}}, {GaussianLocal{5}, {{rarely, 300}}}});
//     *both.account({Question::Kind::epsilon_at_delta, 1e-5}).best.upper;   // proven for both together
//
// The launches run one after another. The victim holds one record, or the same collection of records, in all
// of them, and neighbouring populations differ in it in all of them at once (replace-one). Each launch's
// adversary has the view of its own protocol, and all adversaries pool what they saw. Thread rule: const
// methods may run concurrently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "muster/accounting/accountant.h"
#include "muster/accounting/composed_rounds.h"
#include "muster/accounting/statement.h"
#include "muster/core/types.h"
#include "muster/describe/mechanism.h"
#include "muster/describe/stage.h"
#include "muster/gate/gate.h"

namespace muster::accounting {

// A mechanism and the stages of its rounds, as an Accountant takes them.
struct Launch {
  Mechanism mechanism;
  std::vector<Stage> stages;
};

class Launches {
 public:
  // Throws Error(plan) unless there are two launches or more that an Accountant accepts, with at most
  // kMaxRounds together.
  explicit Launches(std::vector<Launch> launches);

  // For launches that were all fixed in advance, or chosen without looking at the releases: their rounds'
  // dominating pairs compose (bound `different-rounds`). The statement's `local` holds if the shufflers
  // collude.
  Statement account(const Question& question) const;
  // alone() is the statement of one launch by itself. without() is the smallest proven upper value of all
  // other launches together, if they were fixed in advance as for account(); none where no bound is finite.
  Statement alone(std::size_t launch, const Question& question) const;
  std::optional<double> without(std::size_t launch, const Question& question) const;

  // For launches of which later ones were chosen after seeing what earlier ones released (bound
  // `basic-composition`): the sum of the epsilons of all launches, each at an equal share of delta. It holds
  // whichever launches are chosen, provided that a limit to this sum and the number of launches were fixed in
  // advance and are never exceeded.
  Statement account_adaptive(Delta delta) const;
  // What account_adaptive() asks of each launch: epsilon at an equal share of delta.
  Question equal_share(Delta delta) const;

 private:
  // The rounds of all launches but number `left_out`; of all of them, if `left_out` is the number of
  // launches.
  std::vector<ChargedRounds> rounds_but(std::size_t left_out) const;
  void check_gates(const char* bound, std::size_t left_out, const Question& question, double upper,
                   const std::function<double(double)>& delta_at) const;
  double floor(const Question& question) const;
  View view() const;
  std::vector<std::string> assumptions() const;

  std::vector<Launch> launches_;
  std::vector<Accountant> accountants_;
  std::vector<Gate> gates_;
  std::uint64_t rounds_ = 0;
  ComposedRounds composed_{ChargedBy::smallest_bound};
  ComposedRounds local_{ChargedBy::local_guarantee};
};

}  // namespace muster::accounting
