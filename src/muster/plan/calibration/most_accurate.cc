#include "muster/plan/calibration/most_accurate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "muster/core/error.h"
#include "muster/numerics/roots/boundary.h"
#include "muster/plan/calibration/one_parameter.h"
#include "muster/plan/calibration/parameter_cost.h"
#include "muster/plan/calibration/rough_epsilon.h"
#include "muster/plan/calibration/round_variance.h"

namespace muster::protocols {
namespace {

using numerics::Lattice;

constexpr double kNone = std::numeric_limits<double>::infinity();

// Computes the variance of a round's mean at a given rate, with the noise that nearly meets the target there.
// The noise is found with one or two calls of the accountant and is not bracketed. That is precise enough to
// compare rates, but not to be stated as a result.
class AtRate {
 public:
  AtRate(const Plan& plan, const Target& target)
      : plan_(plan), target_(target), parameter_(protocols::noise_parameter(plan)) {}

  const Parameter& noise_parameter() const { return parameter_; }

  double variance(double rate) {
    ParameterCost cost(plan_at(plan_, parameter_of(Knob::rate), rate), parameter_, target_);
    PlanValues values = plan_.values();
    values.rate = rate;
    for (int i = 0; i < 2; ++i) {
      const double value = rough_root(values, parameter_, target_.delta, target_.epsilon * correction_);
      const double upper = cost.rough_upper(value);
      if (!std::isfinite(upper)) {
        return kNone;
      }
      // The rough formula has nearly the same relative error at nearby values, so the next target of the
      // formula is corrected by the error found here.
      set_parameter(values, parameter_.knob, value);
      correction_ = rough_epsilon(values, target_.delta) / std::max(upper, 1e-9 * target_.epsilon);
      if (constexpr double kNear = 0.05; std::fabs(upper / target_.epsilon - 1) < kNear) {
        break;
      }
    }
    noise_ = rough_root(values, parameter_, target_.delta, target_.epsilon * correction_);
    set_parameter(values, parameter_.knob, noise_);
    return round_variance(values);
  }
  double noise() const { return noise_; }  // the noise at the rate of the last call of variance()

 private:
  Plan plan_;
  Target target_;
  Parameter parameter_;
  double correction_ = 1;
  double noise_ = 1;
};

struct RateFound {
  double log_odds;
  double variance;
  double noise;
  double rate() const { return 1 / (1 + std::exp(-log_odds)); }  // 1 if log_odds is infinite
};

RateFound ask(AtRate& at, double log_odds) {
  RateFound found{log_odds, 0, 0};
  found.variance = at.variance(found.rate());
  found.noise = at.noise();
  return found;
}

// Minimises the variance by golden-section search between two rates. Rates are given as log odds, which
// resolve rates near 0 and near 1. The search ends when the two log odds are at most kClose apart. The
// variance is flat around its minimum, so the search also ends when the variances at the two inner points
// differ by less than kFlat times the smaller one.
RateFound best_between(AtRate& at, double low, double high) {
  constexpr double kGolden = 0.6180339887498949, kFlat = 1e-3, kClose = 0.05;
  RateFound left = ask(at, high - kGolden * (high - low)), right = ask(at, low + kGolden * (high - low));
  while (high - low > kClose) {
    const double smaller = std::min(left.variance, right.variance);
    if (std::fabs(left.variance - right.variance) < kFlat * smaller) {
      break;
    }
    if (left.variance < right.variance) {
      high = right.log_odds;
      right = left;
      left = ask(at, high - kGolden * (high - low));
    } else {
      low = left.log_odds;
      left = right;
      right = ask(at, low + kGolden * (high - low));
    }
  }
  return left.variance < right.variance ? left : right;
}

RateFound best_rate(AtRate& at, double clients) {
  // The check-in theorems hide a report among the clients that abstain. So, apart from rate 1, the highest
  // rate tried is the one at which about fifty clients abstain, or a tenth of the clients if they are fewer
  // than 500.
  const double abstaining = std::min(50.0, clients / 10) / clients;
  const double high = std::log((1 - abstaining) / abstaining);
  constexpr double kLow = -1, kLowest = -9;  // rates of about 0.27 and 1.2e-4
  RateFound best = best_between(at, kLow, high);
  if (best.log_odds < kLow + 1) {
    best = best_between(at, kLowest, best.log_odds + 1);
  }
  const RateFound everybody = ask(at, std::numeric_limits<double>::infinity());
  return everybody.variance < best.variance ? everybody : best;
}

void require_rate(Protocol protocol) {
  if (!chooses_rate(protocol)) {
    throw Error(ErrorCode::plan, Reason::inapplicable, "participation.protocol", name_of(protocol),
                "shuffled-check-in | random-check-in-averaged | aggregated-check-in",
                "has no rate to choose: accuracy solves for a rate and the noise of a mean over it");
  }
}

}  // namespace

bool chooses_rate(Protocol protocol) {
  return protocol == Protocol::shuffled_check_in || protocol == Protocol::aggregated_check_in ||
         protocol == Protocol::random_check_in_averaged;
}

Calibration most_accurate(const Plan& plan, const Target& target) {
  require_rate(plan.protocol());
  PlanValues unsolved = plan.values();
  unsolved.rate = 0.5;
  set_parameter(unsolved, noise_parameter(plan).knob, 1);
  // round_variance throws for plans that define no variance, before any search begins.
  static_cast<void>(round_variance(unsolved));
  AtRate at(plan, target);
  const RateFound best = best_rate(at, static_cast<double>(plan.clients()));
  const Lattice lattice = numerics::six_digit_numbers();
  const Plan at_best = plan_at(plan, parameter_of(Knob::rate), lattice.value(lattice.index(best.rate())));
  Calibration found = solve_for_parameter(at_best, at.noise_parameter(), target, best.noise);
  found.variance = round_variance(found.plan.values());
  return found;
}

}  // namespace muster::protocols
