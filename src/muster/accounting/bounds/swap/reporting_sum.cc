#include "muster/accounting/bounds/swap/reporting_sum.h"

#include <algorithm>
#include <cmath>

#include "muster/accounting/bounds/shuffle/blanket.h"
#include "muster/accounting/bounds/swap/reporting_law.h"
#include "muster/numerics/call_of_sum.h"

namespace muster::accounting {

namespace {

constexpr double kNothing = 1e-60;   // a delta
constexpr double kCut = 1e-44;       // of a Gaussian profile
constexpr double kRounding = 1e-12;  // of a probability that is a power of n
constexpr double kMatters = 1e-9;    // of a sum: what the event that everybody reports may add unexamined
constexpr std::size_t kFew = 64;     // atoms whose Chernoff bound is worth a look before their sum

// Past every likelihood ratio no term is positive, and the theorems' strikes are not below 0.
bool none_positive(const Profile& profile, double epsilon) {
  return !(std::exp(epsilon) < profile.alphas().back());
}

numerics::AtomicLaw term(const Profile& profile, const SumShape& shape, double epsilon,
                         const LawChange& change) {
  numerics::AtomicLaw law = reporting_law(profile, shape.rate, epsilon);
  return change ? change(std::move(law)) : law;
}

}  // namespace

numerics::Enclosure ReportingSum::delta(const SumShape& shape, double epsilon,
                                        const LawChange& change) const {
  const double beyond = shape.factor * shape.count * shape.rate * profile_.mass_at_infinity();
  if (none_positive(profile_, epsilon)) return {0, std::min(1.0, beyond * (1 + 1e-15))};
  const numerics::AtomicLaw law = term(profile_, shape, epsilon, change);
  const double strike = shape.strike * std::expm1(epsilon);
  // Where Chernoff's bound is already nothing, the sum is not worth its slowly decaying integrand. (It says
  // nothing of a heavy tail.)
  if (law.points.size() < kFew) {
    const double chernoff = shape.factor * numerics::call_of_sum_chernoff(law, shape.count, strike) * 2;
    if (chernoff <= std::max(kNothing, 1e-3 * beyond))
      return {0, std::min(1.0, (chernoff + beyond) * (1 + 1e-15))};
  }
  const numerics::Enclosure call = numerics::call_of_sum(law, shape.count, strike);
  const double weights = weight_error(shape.count * (change ? 1 : shape.rate));
  const double lower = call.lower * shape.factor / weights;
  const double upper = (call.upper * shape.factor * weights + beyond) * (1 + 1e-15);
  return {lower > 0 ? std::min(lower, 1.0) : 0, upper < 1 ? std::max(upper, 0.0) : 1};  // a NaN counts as 1
}

ReportingSum::ReportingSum(const Mechanism& mechanism)
    : profile_(local_profile(mechanism, kCut)), epsilon0_(pure_epsilon0(mechanism)) {}

double ReportingSum::local(double epsilon) const { return profile_.at(std::exp(epsilon)); }

numerics::Enclosure ReportingSum::everybody(const EverybodyReports& event, double epsilon, double sum) const {
  const double own = local(epsilon);
  numerics::Enclosure each{own * (1 - kRounding), own};
  if (epsilon0_ && event.probability * own > kMatters * sum) {
    const numerics::Enclosure hidden =
        thinned_blanket_delta(event.clients, event.chance, *epsilon0_, epsilon);
    each = {std::min(each.lower, hidden.lower), std::min(each.upper, hidden.upper)};
  }
  return {event.probability * each.lower * (1 - kRounding), event.probability * each.upper * (1 + kRounding)};
}

}  // namespace muster::accounting
