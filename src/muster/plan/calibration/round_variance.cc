#include "muster/plan/calibration/round_variance.h"

#include <cmath>

#include "muster/core/error.h"
#include "muster/plan/randomizer_table.h"

namespace muster::protocols {
namespace {

// E |report|^2 for a value of size 1, by the formulas of the samplers in one dimension.
double second_moment(const Plan& plan) {
  const RandomizerSpec& spec = spec_of(plan.randomizer);
  if (spec.second_moment == nullptr) {
    throw Error(ErrorCode::plan, "randomizer.kind", spec.name, "a randomizer that runs",
                "has no accuracy: what a report carries is not said");
  }
  return spec.second_moment(plan);
}

}  // namespace

double round_variance(const Plan& plan) {
  if (plan.protocol != Protocol::shuffled_check_in && plan.protocol != Protocol::aggregated_check_in &&
      plan.protocol != Protocol::random_check_in_averaged) {
    throw Error(ErrorCode::plan, "participation.protocol", name_of(plan.protocol),
                "shuffled-check-in | random-check-in-averaged | aggregated-check-in",
                "has no rate to choose: accuracy solves for a rate and the noise of a mean over it");
  }
  const double slots =
      plan.protocol == Protocol::random_check_in_averaged ? static_cast<double>(plan.slots) : 1;
  const double included = plan.rate * (1 - plan.dropout.at(1)) / slots;
  return (second_moment(plan) - included) / (static_cast<double>(plan.clients) * included);
}

}  // namespace muster::protocols
