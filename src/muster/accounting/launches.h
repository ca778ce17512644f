// Several launches on one population: what all of them together cost a client who takes part in each.
//
// Example: a model is trained, and later its successor with more noise.
//     const Launches both({{LdpSgdLocal{2}, {{often, 1000}}}, {GaussianLocal{5}, {{rarely, 300}}}});
//     *both.account({Question::Kind::epsilon_at_delta, 1e-5}).best.upper;   // proven for both together
//
// The launches run one after another. The replaced client holds one record, or the same collection of records, in
// all of them; each launch's adversary has the view of its own protocol, and all adversaries pool what they saw.
// The neighbouring relation is replace-one. Thread rule: const methods may run concurrently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

// What is randomized how, and the stages of rounds, as for an Accountant.
struct Launch {
  Mechanism mechanism;
  std::vector<Stage> stages;
};

class Launches {
 public:
  // Throws Error(plan) unless there are two launches or more that an Accountant accepts, with at most kMaxRounds
  // together.
  explicit Launches(std::vector<Launch> launches);

  // For launches that were all fixed in advance, or chosen without looking at the releases: their rounds' dominating
  // pairs compose (bound `different-rounds`). `local` holds if the shufflers collude.
  Statement account(const Question& question) const;
  // Each launch by itself, and without(i) the smallest proven upper value of all launches but that one, fixed in
  // advance; infinite if there is none.
  Statement alone(std::size_t launch, const Question& question) const;
  double without(std::size_t launch, const Question& question) const;

  // For launches of which later ones were chosen after seeing what earlier ones released (bound `basic-composition`):
  // the sum of the epsilons of all launches, each at an equal share of delta. It holds for a total that was fixed in
  // advance and is not exceeded, whichever launches are chosen.
  Statement account_adaptive(Delta delta) const;
  // What each launch is asked there: epsilon at its share of delta.
  Question equal_share(Delta delta) const;

 private:
  // All launches but `left_out`, which may be their number.
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
