#include "muster/experiments/comparison_runs.h"

#include <fmt/format.h>

#include <optional>

#include "muster/core/error.h"
#include "muster/simulation/runs/run_folder.h"

namespace muster::experiments {

using comparison::Row;
using protocols::Plan;

std::vector<PlannedRun> runs_of(comparison::Comparison& all, std::uint64_t seeds) {
  std::vector<PlannedRun> runs;
  for (std::vector<Row>* rows : {&all.rows, &all.references}) {
    for (Row& row : *rows) {
      if (!row.plan) continue;
      const std::vector<Plan> plans = plans_with_seeds(*row.plan, seeds);
      for (const Plan& plan : plans) row.runs.push_back({simulation::run_name(plan), std::nullopt, ""});
      for (std::size_t i = 0; i < plans.size(); ++i) runs.push_back({plans[i], i, &row.runs[i]});
    }
  }
  return runs;
}

void check_budget(const Plan& own, const protocols::Target& target) {
  if (own.budget() && *own.budget() < target.epsilon) {
    throw own.source().with_place(
        Error(ErrorCode::plan, Reason::contradiction, "privacy.budget", fmt::format("{}", *own.budget()),
              fmt::format("at least {}, the epsilon of the comparison", target.epsilon),
              "stops runs before their last round, so that their accuracy could not be compared"));
  }
}

}  // namespace muster::experiments
