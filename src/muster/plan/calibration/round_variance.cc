#include "muster/plan/calibration/round_variance.h"

#include <cmath>

#include "muster/core/error.h"
#include "muster/plan/randomizer_table.h"

namespace muster::protocols {
namespace {

// E |report|^2 for a value of size 1, by the formulas of the samplers in one dimension.
double second_moment(const PlanValues& values) {
  const RandomizerSpec& spec = spec_of(values.randomizer);
  if (spec.second_moment == nullptr) {
    throw Error(ErrorCode::plan, "randomizer.kind", spec.name, "a randomizer that runs",
                "has no accuracy: what a report carries is not said");
  }
  return spec.second_moment(values);
}

}  // namespace

double round_variance(const PlanValues& values) {
  if (values.protocol != Protocol::shuffled_check_in && values.protocol != Protocol::aggregated_check_in &&
      values.protocol != Protocol::random_check_in_averaged) {
    throw Error(ErrorCode::plan, "participation.protocol", name_of(values.protocol),
                "shuffled-check-in | random-check-in-averaged | aggregated-check-in",
                "has no rate to choose: accuracy solves for a rate and the noise of a mean over it");
  }
  const double slots =
      values.protocol == Protocol::random_check_in_averaged ? static_cast<double>(values.slots) : 1;
  const double included = values.rate * (1 - values.dropout.at(1)) / slots;
  return (second_moment(values) - included) / (static_cast<double>(values.clients) * included);
}

}  // namespace muster::protocols
