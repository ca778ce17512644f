// Makes runs for tests of charts and pages, without training and without files. A MadeRuns belongs to one
// thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/plan/plan.h"
#include "muster/plan/source.h"
#include "muster/reporting/compared_runs.h"
#include "muster/reporting/watched_run.h"
#include "muster/simulation/runs/run_record.h"

namespace muster::reporting {

// Keys and their values, which replace those of the plan that made_plan() makes, in this order.
using Overrides = std::vector<std::pair<std::string, std::string>>;

inline protocols::Plan made_plan(const Overrides& overrides = {}) {
  const char* text =
      "name = 'made'\n"
      "[population]\nclients = 1000\ndata = 'digits'\n"
      "[participation]\nprotocol = 'shuffled-check-in'\nrate = 0.1\n"
      "[randomizer]\nkind = 'gaussian'\nsigma = 1\nclip = 1\n"
      "[rounds]\ncount = 40\nlearning_rate = 0.1\n"
      "[model]\nkind = 'logistic'\n[privacy]\ndelta = 1e-5\n";
  protocols::Plan plan = protocols::Plan::validate(protocols::PlanSource::from_text(text, "plan.toml"),
                                                   protocols::Command::train);
  for (const auto& [key, value] : overrides) plan = plan.with(key, value);
  return plan;
}

// Keeps the runs that ComparedRun refers to.
class MadeRuns {
 public:
  // Adds a run that logged rounds 10, 20, 30 and 40, with accuracies that rise to `accuracy`.
  simulation::RunRecord& add(const std::string& label, double accuracy, const Overrides& overrides = {}) {
    const protocols::Plan plan = made_plan(overrides);
    Made& made = runs_.emplace_back(Made{label,
                                         {"runs/" + label, plan, plan.hash(), {}, {}, 1.0, {}},
                                         {protocols::CheckInMonitor(plan.stages()), {}}});
    for (const std::uint64_t round : {10U, 20U, 30U, 40U}) {
      const double part = static_cast<double>(round) / 40;
      simulation::Measurement line{.round = round, .accuracy = accuracy * part, .epsilon = 2 * part};
      if (plan.holds_several()) {
        line.client_accuracy = line.accuracy - 0.01;
        line.worst_decile = line.accuracy - 0.1;
      }
      made.record.logged.push_back(line);
    }
    const simulation::Measurement& last = made.record.logged.back();
    simulation::RunResult end;
    end.accuracy = last.accuracy;
    end.epsilon = last.epsilon;
    end.delta = *plan.delta();
    end.rounds = last.round;
    end.client_accuracy = last.client_accuracy;
    end.worst_decile = last.worst_decile;
    made.record.result = end;
    return made.record;
  }

  std::vector<ComparedRun> compared() const {
    std::vector<ComparedRun> runs;
    for (const Made& made : runs_) runs.push_back({made.label, made.record, made.watched, 0});
    return runs;
  }

 private:
  struct Made {
    std::string label;
    simulation::RunRecord record;
    WatchedRun watched;
  };
  std::deque<Made> runs_;  // whose elements keep their addresses
};

inline const Overrides kPeople = {{"population.records", "12"}, {"population.partition", "dirichlet:0.3"}};

}  // namespace muster::reporting
