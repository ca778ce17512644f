#include "muster/plan/calibration/round_variance.h"

#include <cmath>

#include "muster/core/error.h"
#include "muster/randomizers/variance.h"

namespace muster::protocols {
namespace {

// E |report|^2 for a value of size 1, by the formulas of the samplers in one dimension.
double second_moment(const Plan& plan) {
  switch (plan.randomizer) {
    case RandomizerKind::gaussian:
      return 1 + *plan.sigma * *plan.sigma;
    case RandomizerKind::laplace:
      return 1 + randomizers::laplace_variance(*plan.epsilon0, 1);
    case RandomizerKind::k_rr: {
      const double k = static_cast<double>(*plan.k);
      return randomizers::k_rr_second_moment(randomizers::ideal_kept(*plan.epsilon0, k), k);
    }
    case RandomizerKind::pure:
      throw Error(ErrorCode::plan, "randomizer.kind", "pure", "a randomizer that runs",
                  "has no accuracy: what a report carries is not said");
    default:  // the randomizers that send one sign
      return randomizers::sphere_second_moment(randomizers::ideal_sign_scale(*plan.epsilon0), 1, 1);
  }
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
