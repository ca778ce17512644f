// How a task stands: the object that `/status` serves and `muster status` prints, and the same in words.
//
// The two privacy figures, with an honest shuffler and with one that colludes, are computed from the rounds
// of the ledger, and never stand without delta, validity and view. An object belongs to one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "muster/accounting/accountant.h"
#include "muster/protocols/monitor/check_in_monitor.h"
#include "muster/reporting/json.h"
#include "muster/service/aggregator/aggregator_role.h"
#include "muster/service/aggregator/aggregator_state.h"
#include "muster/service/aggregator/population_budget.h"
#include "muster/service/ledger/ledger.h"
#include "muster/service/task/task_document.h"

namespace muster::app {

// What an aggregator knows of its task beside the ledger.
struct Situation {
  std::string state;   // "waiting", "open", "closing", "done", "budget" or "stopped"
  std::string reason;  // what it waits for, or why the task is over
  service::RejectedCounts rejected;
  const protocols::CheckInMonitor& check_ins;
  // What only an aggregator that runs can tell.
  std::optional<double> accuracy = std::nullopt;
  std::optional<std::uint64_t> enrolled = std::nullopt;
  // All tasks of the population together, and the most that they may cost.
  struct Population {
    service::PopulationBudget::Amount reserved, budget;
  };
  std::optional<Population> population = std::nullopt;
};

// The name of a state; `ledger` tells how a task ended. A task that ended for another reason than done or
// budget is "stopped", with that reason.
std::string state_name(service::Progress::State state, const service::Ledger& ledger);

class TaskStatus {
 public:
  // The task must outlive the object. Building the accountant's curves may take seconds.
  explicit TaskStatus(const service::TaskDocument& task);

  // All bounds for a number of rounds, at the plan's delta.
  const accounting::Statement& statement(std::uint64_t rounds);

  reporting::JsonObject json(const service::Ledger& ledger, const Situation& now);
  std::string words(const service::Ledger& ledger, const Situation& now);

 private:
  const service::TaskDocument& task_;
  accounting::Accountant accountant_;
  std::uint64_t planned_;
  std::map<std::uint64_t, accounting::Statement> statements_;  // by rounds, those that were needed last
};

}  // namespace muster::app
