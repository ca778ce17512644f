#include "muster/service/task/planned_rounds.h"

#include "muster/simulation/budget.h"

namespace muster::service {

std::uint64_t planned_rounds(const protocols::Plan& plan,
                             const std::function<double(std::uint64_t)>& epsilon) {
  return plan.budget() ? simulation::affordable_rounds(epsilon, plan.rounds(), *plan.budget())
                       : plan.rounds();
}

}  // namespace muster::service
