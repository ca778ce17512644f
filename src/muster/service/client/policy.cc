#include "muster/service/client/policy.h"

#include <fmt/format.h>

#include <limits>
#include <string>

#include "muster/core/error.h"
#include "muster/simulation/setup.h"

namespace muster::service {
namespace {

[[noreturn]] void refuse(const char* key, const std::string& value, const std::string& allowed,
                         const std::string& why) {
  throw Error(ErrorCode::plan, Reason::contradiction, fmt::format("policy.{}", key), value, allowed, why);
}

// A comparison with NaN is false, so a bound or an epsilon that is not a number is refused.
void check_at_most(const char* key, double bound, double needed, const char* what) {
  if (bound > 0 && needed <= bound) return;
  refuse(key, fmt::format("{}", bound), fmt::format("at least {}", needed),
         fmt::format("does not allow the task, {} is {}", what, needed));
}

}  // namespace

double charged_epsilon(const protocols::Plan& plan, std::uint64_t rounds) {
  return simulation::epsilon_of(plan)(rounds);
}

void check_policy(const TaskDocument& task, const Policy& policy, const EpsilonOfRounds& epsilon) {
  const protocols::Plan& plan = task.plan();
  if (task.settings().randomness == Randomness::seeded && !policy.allow_seeded) {
    refuse("allow_seeded", "false", "true",
           "does not allow the task, whose coins and noise everybody could compute from its seed");
  }
  if (plan.clients() < policy.min_clients) {
    refuse("min_clients", fmt::format("{}", policy.min_clients), fmt::format("at most {}", plan.clients()),
           fmt::format("does not allow the task, which counts on {} honest devices", plan.clients()));
  }
  if (task.settings().most_rounds > policy.max_rounds) {
    refuse("max_rounds", fmt::format("{}", policy.max_rounds),
           fmt::format("at least {}", task.settings().most_rounds),
           fmt::format("does not allow the task, which may open {} rounds", task.settings().most_rounds));
  }
  check_at_most("max_delta", policy.max_delta, plan.delta().value(), "whose delta");
  check_at_most("max_epsilon0", policy.max_epsilon0,
                plan.epsilon0().value_or(std::numeric_limits<double>::infinity()),
                "in which the epsilon of one message alone");
  check_at_most("max_epsilon", policy.max_epsilon, epsilon(plan, plan.rounds()),
                "whose epsilon after all planned rounds");
}

}  // namespace muster::service
