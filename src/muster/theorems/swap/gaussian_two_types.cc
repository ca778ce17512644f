#include "muster/theorems/swap/gaussian_two_types.h"

#include <cmath>
#include <utility>

#include "muster/describe/laws/reporting_law.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/rare_mixture.h"
#include "muster/numerics/sums/weight_error.h"
#include "muster/numerics/sums/worst_mixture.h"

namespace muster::accounting {
namespace {

using numerics::as_lower_bound;
using numerics::as_upper_bound;
using numerics::UpperAndEstimate;

// If upper - estimate exceeds upper times the smaller of kWide and kWidePerMu * mu, the bound by the
// profile-only law is computed too. That bound exceeds the exact value of the two-types bound by a
// fraction of about mu / 3 or more, so it can only be smaller if the certified maximum is that far off.
constexpr double kWide = 0.04, kWidePerMu = 0.1;
// Above this many deviations of the loss, the bound by the profile-only law may be smaller, and it is
// computed too.
constexpr double kFar = 5;
constexpr double kFarthest = 13;  // above this many deviations of the loss, only the profile-only law is used
// If a term can exceed this many deviations of the sum, large terms are split off.
constexpr double kHeavy = 35;
// With fewer expected reports than this, the two types are not used, because the integrand of the inversion
// integral decays slowly.
constexpr double kFewReports = 8;
// With fewer expected absent clients than this, the two types are not used, because the charge for the event
// that nobody is absent is most of the bound.
constexpr double kFewAbsent = 8;
constexpr double kRounding = 1e-12;  // relative rounding error of an n-th power

}  // namespace

bool two_types_cover(double mu, double reporting, double absent) {
  return mu >= TwoTypesLaws::kMinMu && mu <= TwoTypesLaws::kMaxMu && reporting >= kFewReports &&
         absent >= kFewAbsent;
}

GaussianTwoTypesCurve::GaussianTwoTypesCurve(std::shared_ptr<const ReportingSum> local, double mu, double n,
                                             double terms, double rate)
    : local_(std::move(local)),
      laws_(TwoTypesLaws::of(mu)),
      spread_(std::sqrt(std::expm1(mu * mu))),
      wide_(numerics::smaller(kWide, kWidePerMu * mu)),
      n_(n),
      terms_(terms),
      rate_(rate) {}

GaussianTwoTypesCurve GaussianTwoTypesCurve::check_in(std::shared_ptr<const ReportingSum> local, double mu,
                                                      double n, double rate) {
  return {std::move(local), mu, n, n, rate};
}

GaussianTwoTypesCurve GaussianTwoTypesCurve::subset(std::shared_ptr<const ReportingSum> local, double mu,
                                                    double n, double k) {
  return {std::move(local), mu, n, k, 1};
}

UpperAndEstimate GaussianTwoTypesCurve::profile_only(double epsilon) const {
  return local_->delta({.factor = 1 / n_, .count = terms_, .rate = rate_, .threshold = n_}, epsilon);
}

UpperAndEstimate GaussianTwoTypesCurve::delta(double epsilon) const {
  const bool subset = terms_ < n_;
  // The charge for the event that nobody is absent.
  const double everybody =
      subset ? 0 : std::exp(n_ * std::log(rate_)) * (1 + kRounding) * local_->local(epsilon);
  UpperAndEstimate sum{.upper = 1, .estimate = 0};
  const double excess = std::expm1(epsilon);
  const double deviations = excess * n_ / (std::sqrt(terms_ * rate_) * spread_);
  const bool covered =
      terms_ * rate_ >= kFewReports && (subset || n_ * (1 - rate_) >= kFewAbsent) && deviations < kFarthest;
  if (const auto types = covered ? laws_->at(excess, rate_) : std::nullopt) {
    const auto mixing = subset ? numerics::Mixing::product : numerics::Mixing::swap;
    // The threshold takes three roundings, two of expm1 and one of the product. A lower threshold only raises
    // the bound.
    const double threshold = n_ * excess * (1 - numerics::kEightyRoundings);
    const auto direct = [&] {
      return numerics::worst_mixture_excess(types->record, types->alternative, terms_, threshold, mixing,
                                            1 - rate_);
    };
    const auto split = [&] {
      return numerics::worst_mixture_with_rare_terms(types->record, types->alternative, terms_, threshold,
                                                     mixing, 1 - rate_);
    };
    // Terms far larger than the deviation of their sum make the inversion integral expensive.
    const bool heavy = types->alternative.largest_point() > kHeavy * std::sqrt(terms_ * rate_) * spread_;
    numerics::WorstMixture worst = heavy ? split() : direct();
    if (!heavy && !(worst.value.upper - worst.value.estimate <= wide_ * worst.value.upper) && terms_ >= 3) {
      const numerics::WorstMixture other = split();
      if (!(worst.value.upper <= other.value.upper)) worst = other;
    }
    // weight_error() covers five roundings of each weight, and `at` makes four: of 1 - share, two products
    // and a sum. With four times as many terms it also covers that the weights of a law may sum to 1 + 1e-15.
    const double weights = numerics::weight_error(4 * terms_ * rate_);
    const double cut = types->cut * (subset ? terms_ / n_ : rate_);
    sum = {.upper = (worst.value.upper / n_ * weights + cut) * (1 + numerics::kEightRoundings),
           .estimate = worst.value.estimate / n_ / weights};
  }
  if (deviations > kFar || !(sum.upper - sum.estimate <= wide_ * sum.upper)) {
    const UpperAndEstimate other = profile_only(epsilon);
    if (!(sum.upper <= other.upper))
      sum = {.upper = other.upper, .estimate = numerics::smaller(sum.estimate, other.estimate)};
  }
  // The estimate of the mixture may already include the event that nobody is absent, so the charge for this
  // event is added only to the upper end.
  const double upper = as_upper_bound((sum.upper + everybody) * (1 + numerics::kEightRoundings));
  return {.upper = upper, .estimate = as_lower_bound(sum.estimate, upper)};
}

}  // namespace muster::accounting
