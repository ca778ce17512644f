#include "muster/service/client/draws.h"

#include <vector>

namespace muster::service {

SeededDraws::SeededDraws(const protocols::Plan& plan, std::uint64_t client)
    : key_(random::RunKey::from_seed(plan.seed())),
      coins_(key_, plan.rate(), plan.dropout()),
      client_(client) {}

bool SeededDraws::coin(std::uint64_t round) {
  std::vector<std::uint64_t> reporting;
  coins_.append_reporting(round, client_, 1, reporting);
  return !reporting.empty();
}

std::unique_ptr<Draws> draws_of(const TaskDocument& task, std::uint64_t client) {
  if (task.settings().randomness == Randomness::os) return std::make_unique<OsDraws>(task.plan());
  return std::make_unique<SeededDraws>(task.plan(), client);
}

}  // namespace muster::service
