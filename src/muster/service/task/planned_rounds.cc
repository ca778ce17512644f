#include "muster/service/task/planned_rounds.h"

#include <fmt/format.h>

#include <cmath>

#include "muster/core/error.h"
#include "muster/simulation/budget.h"

namespace muster::service {

std::uint64_t planned_rounds(const protocols::Plan& plan,
                             const std::function<double(std::uint64_t)>& epsilon) {
  return plan.budget() ? simulation::affordable_rounds(epsilon, plan.rounds(), *plan.budget())
                       : plan.rounds();
}

double planned_epsilon(const protocols::Plan& plan, std::uint64_t rounds,
                       const std::function<double(std::uint64_t)>& epsilon) {
  const double cost = epsilon(rounds);
  if (std::isnormal(cost) && cost > 0) return cost;
  throw Error(ErrorCode::budget, "privacy.delta", fmt::format("{}", plan.delta().value()), "",
              "is one at which the planned rounds have no finite epsilon that is not 0");
}

}  // namespace muster::service
