// How a task stands, in the figures that pages, metrics and `muster status` show, and in words.
//
// The two privacy figures, with an honest shuffler and with one that colludes, are computed from the rounds
// of the ledger, and never stand without delta, validity and view. An object belongs to one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "muster/accounting/accountant.h"
#include "muster/reporting/task_standing.h"
#include "muster/service/aggregator/accuracy.h"
#include "muster/service/aggregator/aggregator_role.h"
#include "muster/service/aggregator/aggregator_state.h"
#include "muster/service/aggregator/round_history.h"
#include "muster/service/ledger/ledger.h"
#include "muster/service/task/task_document.h"

namespace muster::app {

// What an aggregator knows of its task besides the ledger.
struct Situation {
  std::string state;   // "waiting", "open", "closing", "done", "budget" or "stopped"
  std::string reason;  // what it waits for, or why the task is over
  service::RejectedCounts rejected;
  service::Accuracies accuracies;
  // What only an aggregator that runs can tell.
  std::optional<std::uint64_t> enrolled = std::nullopt;
  std::optional<reporting::TaskStanding::Population> population = std::nullopt;
};

// Returns the name of a state; `ledger` tells how a task ended. A task that ended for another reason than
// done or budget is "stopped", with that reason.
std::string state_name(service::Progress::State state, const service::Ledger& ledger);

class TaskStatus {
 public:
  // The task must outlive the object. Building the accountant's curves may take seconds.
  explicit TaskStatus(const service::TaskDocument& task);

  // Returns all bounds for a number of rounds, at the plan's delta.
  const accounting::Statement& statement(std::uint64_t rounds);

  // Returns the figures of the task. `history` is that of the ledger.
  reporting::TaskStanding standing(const service::Ledger& ledger, const service::RoundHistory& history,
                                   const Situation& now);
  std::string words(const reporting::TaskStanding& now) const;

 private:
  reporting::StandingRound standing_round(const service::PastRound& past);
  double local(std::uint64_t opened);

  const service::TaskDocument& task_;
  accounting::Accountant accountant_;
  std::uint64_t planned_;
  std::map<std::uint64_t, accounting::Statement> statements_;  // by rounds, those that were needed last
  std::map<std::uint64_t, double> locals_;                     // epsilon by rounds opened
};

}  // namespace muster::app
