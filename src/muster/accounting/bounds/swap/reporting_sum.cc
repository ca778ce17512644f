#include "muster/accounting/bounds/swap/reporting_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "muster/accounting/bounds/swap/reporting_law.h"
#include "muster/numerics/call_of_sum.h"

namespace muster::accounting {

namespace {

constexpr double kNothing = 1e-60;  // a delta

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

numerics::Enclosure reporting_sum(const Profile& profile, const SumShape& shape, double epsilon,
                                  const LawChange& change) {
  const double beyond = shape.factor * shape.count * shape.rate * profile.mass_at_infinity();
  if (none_positive(profile, epsilon)) return {0, std::min(1.0, beyond * (1 + 1e-15))};
  const numerics::AtomicLaw law = term(profile, shape, epsilon, change);
  const double strike = shape.strike * std::expm1(epsilon);
  // Where Chernoff's bound is already nothing, the sum is not worth its slowly decaying integrand.
  const double chernoff = shape.factor * numerics::call_of_sum_chernoff(law, shape.count, strike) * 2;
  if (chernoff <= std::max(kNothing, 1e-3 * beyond))
    return {0, std::min(1.0, (chernoff + beyond) * (1 + 1e-15))};
  const numerics::Enclosure call = numerics::call_of_sum(law, shape.count, strike);
  const double weights = weight_error(shape.count * (change ? 1 : shape.rate));
  const double lower = call.lower * shape.factor / weights;
  const double upper = (call.upper * shape.factor * weights + beyond) * (1 + 1e-15);
  return {lower > 0 ? std::min(lower, 1.0) : 0, upper < 1 ? std::max(upper, 0.0) : 1};  // a NaN counts as 1
}

ReportingSum::ReportingSum(const Mechanism& mechanism) {
  if (!std::holds_alternative<GaussianLocal>(mechanism)) {
    profiles_.push_back(local_profile(mechanism, 0));
    return;
  }
  for (double tail : {1e-8, 1e-10, 1e-13, 1e-17, 1e-21, 1e-26, 1e-33, 1e-44}) {
    profiles_.push_back(local_profile(mechanism, tail));
  }
}

double ReportingSum::local(double epsilon) const { return profiles_.back().at(std::exp(epsilon)); }

numerics::Enclosure ReportingSum::delta(const SumShape& shape, double epsilon,
                                        const LawChange& change) const {
  if (profiles_.size() == 1) {
    return reporting_sum(profiles_.front(), shape, epsilon, change);
  }
  // Every cut is a valid bound, whatever is made of its law: go on to deeper ones until the mass at infinity
  // is nothing against the Chernoff estimate, or that estimate grows. Deeper than needed would bring rare
  // large atoms, whose sum is slow and no tighter.
  const Profile* best = &profiles_.front();
  double best_total = std::numeric_limits<double>::infinity();
  for (const Profile& profile : profiles_) {
    const double chernoff =
        none_positive(profile, epsilon)
            ? 0
            : numerics::call_of_sum_chernoff(term(profile, shape, epsilon, change), shape.count,
                                             shape.strike * std::expm1(epsilon));
    const double beyond = 100 * shape.count * shape.rate * profile.mass_at_infinity();
    if (!(chernoff + beyond < 1.5 * best_total)) {
      break;
    }
    best_total = std::min(best_total, chernoff + beyond);
    best = &profile;
    if (beyond <= 3e-4 * chernoff) {
      break;
    }
  }
  return reporting_sum(*best, shape, epsilon, change);
}

}  // namespace muster::accounting
