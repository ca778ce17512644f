#include "muster/theorems/swap/class_c.h"

#include <cmath>

#include "muster/describe/laws/reporting_law.h"
#include "muster/numerics/binomial_blocks.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/enumerated_excess.h"
#include "muster/numerics/sums/expected_excess.h"
#include "muster/numerics/sums/weight_error.h"
#include "muster/numerics/sums/worst_mixture.h"
#include "muster/theorems/everyone/blanket.h"
#include "muster/theorems/everyone/class_c_pool.h"

namespace muster::accounting {
namespace {

using numerics::round_up;

// WorstMixture::slack is what the certified maximum adds to cover every number of clients of type 0, as a
// fraction of the larger of the sums with all clients of one type. If it exceeds this constant, the bound by
// the profile-only law X* is computed too. For small epsilon0, where that bound is hardly larger, the limit
// is smaller (`ahead_of_profile` in delta()).
constexpr double kCompareWithProfile = 0.02;
// The event that nobody is absent is charged at the local profile f(E) if this charge is at most the fraction
// kMatters of the rest of the bound, and otherwise at the smaller of f(E) and the blanket (blanket.h). If
// even that is more than the fraction kBlanketMatters, the bound of class_c_pool.h is tried as well.
constexpr double kMatters = 1e-9, kBlanketMatters = 5e-3;
// With unequal rates, clients whose coins are not revealed are called hidden. The charge for the event that
// improbably few clients are hidden may be this fraction of the rest of the bound.
constexpr double kRareFew = 1e-5;
// These constants decide when a second bound is computed. For equal rates, it is the bound of class_c_pool.h,
// and it is computed if the charge for the event that nobody is absent exceeds the fraction kCompareWithPool
// of the bound, or if upper - estimate exceeds the fraction kWideGap. For unequal rates, it is the average
// over the number of hidden clients (over_counts_), and it is computed if the charge exceeds the fraction
// kCompareWithPools, for at most kFewClients clients, whose sums are enumerated, and for more than
// kManyClients clients, where the round-off of the revealed clients' terms matters. Subsets have no second
// bound.
constexpr double kCompareWithPool = 1e-3, kCompareWithPools = 1e-2, kWideGap = 2e-3, kFewClients = 24,
                 kManyClients = 1e9;
constexpr double kNegligible = 1e-80;  // below this delta, no second bound is computed

struct TwoTypes {
  // The laws of type 0, which holds the victim's alternative record, and of type 1, which holds her record.
  numerics::AtomicLaw alternative, record;
};

// Returns the laws of the two types' terms, shifted by E - 1 so that an absent client's term is zero. Another
// client is hidden and reports with probability `lo`, and her coin is revealed with probability `revealed`. A
// hidden client's shifted term has mean zero, and that of type 1 has the law of -E times that of type 0. A
// revealed client's term is 0 before the shift and E - 1 after it. At eps = 0, E - 1 is zero too, and
// worst_mixture_excess() counts revealed clients as absent, which does not make its V_i smaller
// (docs/theory/unequal-rates.md).
//
// Points are rounded up here, and delta() rounds the threshold down, because weight_error() covers weights
// only: if terms are few and large, the result is more sensitive to an error of a point than to one of a
// weight. A weight has five roundings: four in p or q (an exponential, which counts as two, a sum and a
// quotient) and one in the product.
TwoTypes types_of_terms(double epsilon0, double epsilon, double lo, double revealed) {
  const double e = std::exp(epsilon);
  const double q = 1 / (std::exp(epsilon0) + 1);
  const double p = 1 / (std::exp(-epsilon0) + 1);
  TwoTypes types;
  types.alternative.add(round_up(std::expm1(epsilon0)), lo * q);
  types.alternative.add(round_up(std::expm1(-epsilon0)), lo * p);
  types.record.add(round_up(-e * std::expm1(epsilon0)), lo * q);
  types.record.add(round_up(-e * std::expm1(-epsilon0)), lo * p);
  for (numerics::AtomicLaw* law : {&types.alternative, &types.record}) {
    law->add(round_up(std::expm1(epsilon)), revealed);
  }
  return types;
}

}  // namespace

ClassCCurve::ClassCCurve(double epsilon0, double n, double terms, double rate, double lo)
    : epsilon0_(epsilon0),
      n_(n),
      terms_(terms),
      rate_(rate),
      lo_(lo),
      theta_(lo / rate),
      revealed_((rate - lo) / rate),
      profile_(Profile::pure(epsilon0)) {}

ClassCCurve ClassCCurve::check_in(double epsilon0, double n, double rate) {
  return ClassCCurve(epsilon0, n, n, rate, rate);
}

ClassCCurve ClassCCurve::subset(double epsilon0, double n, double k) {
  return ClassCCurve(epsilon0, n, k, 1, 1);
}

ClassCCurve ClassCCurve::unequal(double epsilon0, double n, double lo, double hi) {
  ClassCCurve curve(epsilon0, n, n, hi, lo);
  const bool few_or_many = n <= kFewClients || n > kManyClients;
  const auto bound = [epsilon0, hi, few_or_many, alone = Profile::pure(epsilon0)](double clients,
                                                                                  double epsilon) {
    if (clients < 2) {
      return numerics::UpperAndEstimate{
          .upper = numerics::as_upper_bound(hi * alone.at(epsilon) * (1 + numerics::kEightRoundings)),
          .estimate = 0};
    }
    return numerics::UpperAndEstimate{
        .upper = few_or_many ? ClassCCurve::check_in(epsilon0, clients, hi).delta(epsilon).upper
                             : ClassCPoolCurve(epsilon0, clients, hi).delta(epsilon).upper,
        .estimate = 0};
  };
  auto mixture = std::make_shared<UnequalRatesMixture>(n, lo, hi, bound, 0.1);
  mixture->merge();
  curve.over_counts_ = std::move(mixture);
  return curve;
}

double ClassCCurve::profile_only(double epsilon) const {
  numerics::AtomicLaw law = reporting_law(profile_, lo_, epsilon);
  law.add(neutral_point(epsilon), revealed_);
  const double threshold = n_ * -std::expm1(-epsilon) * (1 - numerics::kThreeRoundings),
               scale = std::exp(epsilon) / (n_ * theta_);
  const double estimate = numerics::expected_excess_chernoff(law, terms_, threshold) * scale;
  const double upper =
      estimate < kNegligible ? estimate : numerics::expected_excess(law, terms_, threshold).upper * scale;
  return upper * (1 + numerics::kEightRoundings);
}

// Bounds the charge for the event that nobody is absent. `local` is f(E), and `sum` is the rest of the bound.
// Given this event, the messages of the victim and of N hidden others are shuffled, N ~ Bin(n - 1, `chance`).
// Here `chance` is the probability that another client is hidden, given that she is not absent.
double ClassCCurve::everybody(double epsilon, double local, double sum) const {
  // The probability that another client is hidden and absent.
  const double absent = theta_ * (1 - rate_);
  const double not_absent = revealed_ + lo_;  // 1 - absent, without cancellation
  const double chance = numerics::smaller(1.0, lo_ / not_absent * (1 - numerics::kEightRoundings));
  const double probability = rate_ * std::exp((n_ - 1) * log_probability(not_absent, absent)) *
                             (1 + numerics::kEightThousandRoundings);
  double each = local;
  if (probability * each > kMatters * sum) {
    each = numerics::smaller(each, thinned_blanket_delta(n_, chance, epsilon0_, epsilon).upper);
  }
  if (probability * each <= kBlanketMatters * sum) return probability * each;
  double least = n_ - 1, fewer = 0;
  // The event that fewer than `least` others are hidden is so improbable that it can be charged at f(E); this
  // charge is `fewer`. If `least` or more are hidden, the bound for exactly `least` hidden others holds.
  if (theta_ < 1) {
    const double exponent = numerics::larger(1.0, std::log(probability * local / (kRareFew * sum)));
    least = numerics::binomial_low_end(n_ - 1, chance, exponent);
    fewer = std::exp(-exponent) * local;
  }
  const double pool = ClassCPoolCurve(epsilon0_, least + 1, 1).delta(epsilon).upper + fewer;
  return probability * numerics::smaller(each, pool);
}

numerics::UpperAndEstimate ClassCCurve::delta(double epsilon) const {
  if (rate_ >= 1 && terms_ >= n_) {  // everybody reports, so nobody is absent to swap with
    return ClassCPoolCurve(epsilon0_, n_, 1).delta(epsilon);
  }
  const bool subset = rate_ >= 1;
  const double local = numerics::as_upper_bound(profile_.at(epsilon) * (1 + numerics::kEightRoundings));
  // Whatever the others send, by convexity the divergence is at most f(E) times the probability that the
  // victim reports.
  const double cap = local * (subset ? terms_ / n_ : rate_) * (1 + numerics::kThreeRoundings);
  if (epsilon >= epsilon0_) {
    return {.upper = cap, .estimate = 0};
  }
  const auto [alternative, record] = types_of_terms(epsilon0_, epsilon, lo_, revealed_);
  const double threshold = n_ * std::expm1(epsilon) * (1 - numerics::kThreeRoundings);
  const double factor = 1 / (n_ * theta_);
  const numerics::WorstMixture worst = numerics::worst_mixture_excess(
      alternative, record, terms_, threshold, subset ? numerics::Mixing::product : numerics::Mixing::swap);
  double upper = worst.value.upper * factor;
  // X* has 2p times the variance of the types' terms, where p = 1 / (1 + e^-epsilon0), so the bound from X*
  // exceeds the value by a fraction of about sqrt(2p) - 1 or more. ahead_of_profile is 0.3 times that
  // fraction.
  const double ahead_of_profile = 0.3 * (std::sqrt(2 / (std::exp(-epsilon0_) + 1)) - 1);
  if (!(worst.slack < numerics::smaller(kCompareWithProfile, ahead_of_profile)) && upper > kNegligible &&
      terms_ * lo_ > 0.5) {
    upper = numerics::smaller(upper, profile_only(epsilon));
  }
  const double weights = numerics::weight_error(terms_ * (lo_ + revealed_));
  upper *= weights;
  double estimate = worst.value.estimate * factor;
  // Where the sums with all clients of one type can be enumerated, the larger of the two is a sharper
  // estimate.
  if (numerics::enumerable(alternative, terms_) && estimate < 0.999 * upper) {
    for (const numerics::AtomicLaw* law : {&alternative, &record}) {
      estimate =
          numerics::larger(estimate, numerics::enumerated_excess(*law, terms_, threshold).lower * factor);
    }
  }
  const double all_report = subset ? 0 : everybody(epsilon, local, upper);
  const bool wide = upper - estimate > kWideGap * (upper + all_report);
  upper = (upper + all_report) * (1 + numerics::kEightRoundings);
  const bool may_all_report = all_report > (over_counts_ ? kCompareWithPools : kCompareWithPool) * upper;
  if (over_counts_ && (may_all_report || n_ <= kFewClients || n_ > kManyClients)) {
    upper = numerics::smaller(upper, over_counts_->delta(epsilon).upper);
  } else if (!over_counts_ && !subset && (may_all_report || wide)) {
    upper = numerics::smaller(upper, ClassCPoolCurve(epsilon0_, n_, rate_).delta(epsilon).upper);
  }
  return {.upper = upper <= cap ? upper : cap,
          .estimate = numerics::within(estimate / weights, 0.0, numerics::smaller(cap, upper))};
}

}  // namespace muster::accounting
