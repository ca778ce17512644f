#include "muster/accounting/bounds/swap/class_c.h"

#include <algorithm>
#include <cmath>

#include "muster/accounting/bounds/shuffle/class_c_pool.h"
#include "muster/accounting/bounds/swap/reporting_law.h"
#include "muster/numerics/call_of_sum.h"
#include "muster/numerics/enumerated_call.h"
#include "muster/numerics/worst_mixture.h"

namespace muster::accounting {
namespace {

// Above this share of the value the allowance for types between the ends is worth comparing with X*, unless
// epsilon0 is so small that X* is closer than that.
constexpr double kCompareWithProfile = 0.02;
// Likewise the chance that nobody is absent, and the pool of displaceable messages, which needs no absence.
constexpr double kCompareWithPool = 1e-3;
constexpr double kNegligible = 1e-80;  // a delta that needs no second opinion

}  // namespace

ClassCCurve::ClassCCurve(double epsilon0, double n, double terms, double rate)
    : epsilon0_(epsilon0), n_(n), terms_(terms), rate_(rate), profile_(Profile::pure(epsilon0)) {}

ClassCCurve ClassCCurve::check_in(double epsilon0, double n, double rate) {
  return ClassCCurve(epsilon0, n, n, rate);
}

ClassCCurve ClassCCurve::subset(double epsilon0, double n, double k) {
  return ClassCCurve(epsilon0, n, k, 1);
}

double ClassCCurve::profile_only(double epsilon) const {
  const numerics::AtomicLaw law = reporting_law(profile_, rate_, epsilon);
  const double strike = n_ * std::expm1(epsilon);
  const double estimate = numerics::call_of_sum_chernoff(law, terms_, strike) / n_;
  return estimate < kNegligible ? estimate : numerics::call_of_sum(law, terms_, strike).upper / n_;
}

numerics::Enclosure ClassCCurve::delta(double epsilon) const {
  if (rate_ >= 1 && terms_ >= n_) {  // everybody reports: nobody to change places with
    return ClassCPoolCurve(epsilon0_, n_, 1).delta(epsilon);
  }
  const bool subset = rate_ >= 1;
  const double local = std::min(1.0, profile_.at(std::exp(epsilon)) * (1 + 1e-15));
  // Whatever the others send: the victim reports with this probability (convexity of the divergence).
  const double cap = local * (subset ? terms_ / n_ : rate_) * (1 + 4e-16);
  if (epsilon >= epsilon0_) {
    return {0, cap};
  }
  const double e = std::exp(epsilon);
  const double q = 1 / (std::exp(epsilon0_) + 1);
  const double p = 1 / (std::exp(-epsilon0_) + 1);
  // Terms plus E - 1: absence at zero. Both laws have mean zero; the second is -E times the first.
  numerics::AtomicLaw alternative, record;
  alternative.add(std::expm1(epsilon0_), rate_ * q);
  alternative.add(std::expm1(-epsilon0_), rate_ * p);
  record.add(-e * std::expm1(epsilon0_), rate_ * q);
  record.add(-e * std::expm1(-epsilon0_), rate_ * p);
  const numerics::WorstMixture worst =
      numerics::worst_mixture_call(alternative, record, terms_, n_ * std::expm1(epsilon),
                                   subset ? numerics::Mixing::product : numerics::Mixing::swap);
  double upper = worst.value.upper / n_;
  const double ahead_of_profile = 0.3 * (std::sqrt(2 * p) - 1);  // of X*, at least three times this
  if (!(worst.slack < std::min(kCompareWithProfile, ahead_of_profile)) && upper > kNegligible &&
      terms_ * rate_ > 0.5) {
    upper = std::min(upper, profile_only(epsilon));
  }
  const double all_report = subset ? 0 : std::exp(n_ * std::log(rate_)) * local;
  const double weights = weight_error(terms_ * rate_);
  upper = (upper * weights + all_report) * (1 + 1e-15);
  if (all_report > kCompareWithPool * upper) {
    upper = std::min(upper, ClassCPoolCurve(epsilon0_, n_, rate_).delta(epsilon).upper);
  }
  double lower = worst.value.lower / n_;
  if (numerics::enumerable(alternative, terms_) && lower < 0.999 * upper) {  // the ends, exactly
    for (const numerics::AtomicLaw* law : {&alternative, &record}) {
      lower = std::max(lower, numerics::enumerated_call(*law, terms_, n_ * std::expm1(epsilon)).lower / n_);
    }
  }
  return {std::clamp(lower / weights, 0.0, cap), upper <= cap ? upper : cap};
}

}  // namespace muster::accounting
