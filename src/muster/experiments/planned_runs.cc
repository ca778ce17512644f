#include "muster/experiments/planned_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "muster/core/error.h"
#include "muster/simulation/data_source.h"

namespace muster::experiments {

using protocols::Plan;

std::vector<Plan> plans_with_seeds(const Plan& first, std::uint64_t seeds) {
  if (seeds > 0 && first.seed() > std::numeric_limits<std::uint64_t>::max() - (seeds - 1)) {
    throw Error(ErrorCode::usage, Reason::out_of_range, "--seeds", fmt::format("{}", seeds), "",
                "goes beyond the last seed, 2^64 - 1");
  }
  std::vector<Plan> plans;
  for (std::uint64_t i = 0; i < seeds; ++i) {
    plans.push_back(first.with("seed", fmt::format("{}", first.seed() + i)));
  }
  return plans;
}

std::string shared_data(const std::vector<PlannedRun>& runs) {
  std::set<std::string> identities;
  for (const PlannedRun& run : runs) identities.insert(simulation::data_identity(run.plan));
  return identities.size() == 1 ? *identities.begin() : "";
}

void order_for_training(std::vector<PlannedRun>& runs) {
  std::ranges::stable_sort(runs, {}, &PlannedRun::seed);
  std::map<std::string, std::size_t> first_met;
  const auto group = [&first_met](const PlannedRun& run) {
    return first_met.emplace(simulation::data_identity(run.plan), first_met.size()).first->second;
  };
  for (const PlannedRun& run : runs) group(run);
  std::ranges::stable_sort(runs, {}, group);
}

void throw_if_any_failed(const std::vector<PlannedRun>& runs, const std::string& kind) {
  for (const PlannedRun& run : runs) {
    if (!run.into->failure.empty()) {
      throw Error(ErrorCode::data, run.into->folder, "", "",
                  fmt::format("failed, and the other runs of the {} are done: {}", kind, run.into->failure));
    }
  }
}

}  // namespace muster::experiments
