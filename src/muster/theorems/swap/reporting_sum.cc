#include "muster/theorems/swap/reporting_sum.h"

#include <cmath>
#include <utility>

#include "muster/describe/laws/reporting_law.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/coarsened_law.h"
#include "muster/numerics/sums/expected_excess.h"
#include "muster/numerics/sums/weight_error.h"
#include "muster/theorems/everyone/blanket.h"

namespace muster::accounting {
namespace {

using numerics::as_lower_bound;
using numerics::as_upper_bound;

constexpr double kNothing = 1e-60;   // a delta below this is negligible
constexpr double kCut = 1e-44;       // a Gaussian profile is cut where it falls below this
constexpr double kRounding = 1e-12;  // relative rounding error of an n-th power
// The event that everybody reports is charged at f(E) if this adds at most this share to the sum. Otherwise
// the privacy blanket for this event is computed too.
constexpr double kMatters = 1e-9;
// For laws with fewer atoms, Chernoff's bound is computed before the sum.
constexpr std::size_t kFew = 64;
constexpr std::size_t kMaxAtoms = 64;  // the most atoms of a weighted term's law; longer laws are coarsened
constexpr double kSumsReach = 300;     // from this epsilon on, terms leave the range of a double
constexpr double kClose = 1e-3;        // up to this relative width, the bound of one_large_term.h suffices
constexpr double kLargeTerms = 1;      // from this epsilon on, one_large_term.h is used

numerics::AtomicLaw term(const Profile& profile, const SumShape& shape, double epsilon) {
  numerics::AtomicLaw law = reporting_law(profile, shape.rate, epsilon);
  // A revealed client's mass is added to the law's last atom if this is at the same point. The fewer atoms a
  // law has, the more copies of it can be enumerated.
  if (shape.revealed > 0) {
    const double point = neutral_point(epsilon);
    if (!law.points.empty() && law.points.back() == point) {
      law.weights.back() += shape.revealed;
    } else {
      law.add(point, shape.revealed);
    }
  }
  return law;
}

numerics::AtomicLaw weighted(numerics::AtomicLaw law, const TermWeights* weights) {
  if (weights == nullptr) {
    return law;
  }
  return numerics::coarsened_product(law.points.size() > kMaxAtoms ? numerics::coarsened_law(law) : law,
                                     weights->values, weights->probabilities, kMaxAtoms);
}

}  // namespace

ReportingSum::ReportingSum(const Mechanism& mechanism)
    : profile_(local_profile(mechanism, kCut)),
      tail_{[mechanism](double l) { return local_divergence_upper(mechanism, l); },
            [mechanism](double l) { return local_alternative_tail_upper(mechanism, l); }},
      one_large_term_(tail_, profile_),
      epsilon0_(pure_epsilon0(mechanism)) {}

ReportingSum::ReportingSum(Profile profile)
    : profile_(std::move(profile)), tail_(tail_of(profile_)), one_large_term_(tail_, profile_) {}

double ReportingSum::variance_of_term(const SumShape& shape, double epsilon) const {
  return term(profile_, shape, epsilon).variance();
}

numerics::UpperAndEstimate ReportingSum::delta(const SumShape& shape, double epsilon) const {
  numerics::UpperAndEstimate found{.upper = 1, .estimate = 0};
  if (epsilon >= kLargeTerms) {
    const double silent =
        shape.revealed > 0 ? 1 - shape.rate - shape.revealed - numerics::kThreeRoundings : 1 - shape.rate;
    found = one_large_term_.at(
        {shape.factor, shape.count, shape.rate,
         numerics::larger(0.0, silent * (1 - numerics::kThreeRoundings)), shape.threshold, shape.weights},
        epsilon);
  }
  // summed() takes a hundred times as long, so it is skipped where it could gain almost nothing.
  if (epsilon < kSumsReach && !(found.upper - found.estimate <= kClose * found.upper)) {
    const numerics::UpperAndEstimate sum = summed(shape, epsilon);
    const double upper = numerics::smaller(found.upper, sum.upper);
    found = {.upper = upper,
             .estimate = numerics::smaller(numerics::larger(found.estimate, sum.estimate), upper)};
  }
  return found;
}

numerics::UpperAndEstimate ReportingSum::summed(const SumShape& shape, double epsilon) const {
  const double beyond = as_upper_bound(shape.factor * shape.count * shape.rate * profile_.mass_at_infinity() *
                                       (1 + numerics::kEightRoundings));
  // From the largest loss on, no client's term (X*, 1 - E or 0) is positive. The threshold is at least the
  // count, so the mean in the expression is 0.
  if (epsilon >= profile_.largest_loss()) return {.upper = beyond, .estimate = 0};
  const numerics::AtomicLaw law = weighted(term(profile_, shape, epsilon), shape.weights.get());
  const double threshold = shape.threshold * -std::expm1(-epsilon) * (1 - numerics::kThreeRoundings);
  const double scale = shape.factor * std::exp(epsilon);
  // Where Chernoff's bound is already negligible, the sum is skipped, because the integrand of its inversion
  // decays slowly there. Laws with many atoms have heavy tails, for which Chernoff's bound is useless.
  if (law.points.size() < kFew) {
    const double chernoff = scale * numerics::expected_excess_chernoff(law, shape.count, threshold) * 2;
    if (chernoff <= numerics::larger(kNothing, 1e-3 * beyond)) {
      return {.upper = as_upper_bound((chernoff + beyond) * (1 + numerics::kEightRoundings)), .estimate = 0};
    }
  }
  const numerics::Enclosure excess = numerics::expected_excess(law, shape.count, threshold);
  const double weights =
      numerics::weight_error(shape.count * (shape.weights ? 1 : shape.rate + shape.revealed));
  return {.upper =
              as_upper_bound((excess.upper * scale * weights + beyond) * (1 + 2 * numerics::kEightRoundings)),
          .estimate = as_lower_bound(excess.lower * scale / weights * (1 - numerics::kEightRoundings))};
}

numerics::UpperAndEstimate ReportingSum::everybody(const EverybodyReports& event, double epsilon,
                                                   double sum) const {
  const double own = local(epsilon);
  numerics::UpperAndEstimate each{.upper = own, .estimate = own * (1 - kRounding)};
  if (epsilon0_ && epsilon < kSumsReach && event.probability * own > kMatters * sum) {
    const numerics::Enclosure hidden =
        thinned_blanket_delta(event.clients, event.chance, *epsilon0_, epsilon);
    each = {.upper = numerics::smaller(each.upper, hidden.upper),
            .estimate = numerics::smaller(each.estimate, hidden.lower)};
  }
  return {.upper = as_upper_bound(event.probability * each.upper * (1 + kRounding)),
          .estimate = as_lower_bound(event.probability * each.estimate * (1 - kRounding))};
}

}  // namespace muster::accounting
