#include "muster/service/task/deployable.h"

#include <fmt/format.h>

#include <string>

#include "muster/core/error.h"

namespace muster::service {
namespace {

using protocols::Plan;
using protocols::Protocol;

[[noreturn]] void refuse(const char* key, const std::string& value, const char* allowed, const char* why) {
  throw Error(ErrorCode::plan, Reason::inapplicable, key, value, allowed,
              fmt::format("is not deployed: {}", why));
}

// What a protocol would need, or nullptr if it is deployed.
const char* missing_for(Protocol protocol) {
  switch (protocol) {
    case Protocol::shuffled_check_in:
      return nullptr;
    case Protocol::shuffle:
      return "ask for shuffled-check-in with participation.rate = 1, which costs the same";
    case Protocol::subset:
    case Protocol::random_check_in_fixed:
    case Protocol::random_check_in_averaged:
    case Protocol::random_check_in_sliding:
      return "somebody other than the device would choose who reports, and would have to be trusted with it";
    case Protocol::aggregated_check_in:
      return "only sums may be seen, which needs secure aggregation";
  }
  return "the protocol is unknown";
}

void refuse_undeployed_participation(const Plan& plan) {
  if (const char* missing = missing_for(plan.protocol())) {
    refuse("participation.protocol", name_of(plan.protocol()), "shuffled-check-in", missing);
  }
  if (plan.min_rate()) {
    refuse("participation.rate", fmt::format("{}:{}", *plan.min_rate(), plan.rate()), "one rate",
           "devices that toss different coins would have to prove which one they tossed");
  }
  if (!plan.dropout().constant() || plan.dropout().at(1) != 0) {
    refuse("participation.dropout", plan.dropout().canonical(), "0",
           "every device that hears of a round sends, so a charge for lost reports would be too small");
  }
}

void refuse_undeployed_clients(const Plan& plan) {
  if (plan.data().starts_with("cifar:")) {
    refuse("population.data", plan.data(), "digits | idx:DIR | csv:FILE",
           "the task would have to say which of the two data sets of this format the devices hold");
  }
  if (plan.partition() && !plan.holds_several()) {
    refuse("population.partition", plan.partition()->text(), "none",
           "devices hold their own records, which nobody deals");
  }
  if (plan.holds_several()) {
    refuse("population.records", plan.owner().empty() ? fmt::format("{}", plan.records()) : plan.owner(), "1",
           "a device holds one record");
  }
  if (plan.share()) {
    refuse("population.share", "true", "false", "devices hold their own records, and share none");
  }
  if (plan.rounds() == 0) refuse("rounds.count", "0", "1 or more", "a task without rounds learns nothing");
  if (plan.local_steps() > 0) {
    refuse("rounds.local_steps", fmt::format("{}", plan.local_steps()), "0", "a device sends one gradient");
  }
}

}  // namespace

void refuse_undeployed(const Plan& plan) {
  refuse_undeployed_participation(plan);
  refuse_undeployed_clients(plan);
}

}  // namespace muster::service
