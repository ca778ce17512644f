// Computes the total cost of several launches on one population to a client who takes part in all of them. A
// launch is a mechanism with stages of rounds, for which one Accountant could account.
//
// In this example, a model is trained, and later its successor; `often` and `rarely` are participations.
//     const Launches both({{LdpSgdLocal{2}, {{often, 1000}}}, {GaussianLocal{5}, {{rarely, 300}}}});
//     *both.account({Question::Kind::epsilon_at_delta, 1e-5}).best.upper;   // proven for both together
//
// The launches run one after another. The victim holds the same record, or the same collection of records, in
// all of them. Neighbouring populations differ in this record or collection, in all launches at once
// (replace-one). One adversary sees every launch, each in the view of its own protocol. Const methods may
// run concurrently.
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

// A launch is a mechanism with the stages of its rounds, as an Accountant takes them.
struct Launch {
  Mechanism mechanism;
  std::vector<Stage> stages;
};

class Launches {
 public:
  // Throws Error(plan) for fewer than two launches, for a launch that Accountant refuses, and for more than
  // kMaxRounds in all.
  explicit Launches(std::vector<Launch> launches);

  // Returns the statement for launches that were all fixed in advance, or chosen without looking at the
  // releases. The dominating pairs of their rounds compose (bound `different-rounds`). The statement's
  // `local_upper` holds even if the shufflers of all launches collude with the server.
  Statement account(const Question& question) const;
  // alone() returns the statement for one launch by itself. upper_without() returns the smallest proven upper
  // value for all launches but this one, if they are fixed in advance as for account(), or nullopt if no
  // bound is finite.
  Statement alone(std::size_t launch, const Question& question) const;
  std::optional<double> upper_without(std::size_t launch, const Question& question) const;

  // Returns the statement for launches that may have been chosen after seeing what earlier launches
  // released. Its upper value is the sum of the epsilons of all launches, each at an equal share of delta
  // (bound `basic-composition`). It holds whichever launches are chosen, provided that a limit on this sum
  // and the number of launches were fixed in advance and are never exceeded.
  Statement account_adaptive(Delta delta) const;
  // Returns the question that account_adaptive() asks about each launch: epsilon at an equal share of
  // delta.
  Question equal_share(Delta delta) const;

 private:
  // Returns the rounds of all launches except the one with index `left_out`. If `left_out` is the number of
  // launches, none is left out.
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
  ComposedRounds composed_;
  ComposedRounds local_;
};

}  // namespace muster::accounting
