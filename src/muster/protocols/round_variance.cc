#include "muster/protocols/round_variance.h"

#include <cmath>

#include "muster/core/error.h"

namespace muster::protocols {
namespace {

// E |report|^2 for a value of size 1.
double second_moment(const Plan& plan) {
  switch (plan.randomizer) {
    case RandomizerKind::gaussian:
      return 1 + *plan.sigma * *plan.sigma;
    case RandomizerKind::laplace:  // scale 2 / epsilon0 on [-1, 1]
      return 1 + 8 / (*plan.epsilon0 * *plan.epsilon0);
    case RandomizerKind::k_rr: {  // (symbol's indicator - q) / (p - q)
      const double k = static_cast<double>(*plan.k);
      const double e = std::exp(*plan.epsilon0);
      const double p = e / (e + k - 1), q = 1 / (e + k - 1);
      return 1 + (1 - p * p - (k - 1) * q * q) / ((p - q) * (p - q));
    }
    case RandomizerKind::pure:
      throw Error(ErrorCode::plan, "randomizer.kind", "pure", "a randomizer that runs",
                  "accuracy is not defined for it: what a report carries is not said");
    default: {  // a sign of size (e^epsilon0 + 1) / (e^epsilon0 - 1)
      const double size = 1 / std::tanh(*plan.epsilon0 / 2);
      return size * size;
    }
  }
}

}  // namespace

double round_variance(const Plan& plan) {
  if (plan.protocol != Protocol::shuffled_check_in && plan.protocol != Protocol::aggregated_check_in &&
      plan.protocol != Protocol::random_check_in_averaged) {
    throw Error(ErrorCode::plan, "participation.protocol", name_of(plan.protocol),
                "shuffled-check-in | random-check-in-averaged | aggregated-check-in",
                "accuracy chooses a rate and the noise of a mean over it");
  }
  const double slots =
      plan.protocol == Protocol::random_check_in_averaged ? static_cast<double>(plan.slots) : 1;
  const double included = plan.rate * (1 - plan.dropout) / slots;
  return (second_moment(plan) - included) / (static_cast<double>(plan.clients) * included);
}

}  // namespace muster::protocols
