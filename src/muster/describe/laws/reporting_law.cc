#include "muster/describe/laws/reporting_law.h"

#include <cmath>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

using numerics::round_up;

// Returns e^{l-eps} - e^{-eps} for l > eps, rounded up, in a form in which no digits cancel.
double point_above(double l, double epsilon) {
  const double absent = std::exp(-epsilon);
  if (l < 1) return round_up(absent * std::expm1(l));
  // The relative rounding error of the exponent is multiplied by the exponent. The difference of the two
  // terms is at least (1 - 1/e) times the larger one, so the subtraction raises relative errors by a factor
  // of at most 2.2.
  const double rounding = numerics::kUnitRoundoff * (l - epsilon);
  return round_up((std::exp(l - epsilon) * (1 + 2 * rounding) - absent) * (1 + numerics::kEightRoundings));
}

}  // namespace

numerics::AtomicLaw reporting_law(const Profile& profile, double rate, double epsilon) {
  const auto& log_alphas = profile.log_alphas();
  numerics::AtomicLaw law;
  long double reported = 0;
  for (std::size_t i = 0; i < log_alphas.size(); ++i) {
    const double l = log_alphas[i];
    if (l > epsilon) {
      law.add(point_above(l, epsilon), round_up(rate * profile.q_masses()[i]));
      reported += profile.q_masses()[i];
    } else if (l < epsilon) {
      law.add(round_up(-std::expm1(-l)), round_up(rate * profile.p_masses()[i]));
      reported += profile.p_masses()[i];
    }
  }
  // `reported` takes a rounding of a long double for each atom, of which a profile has up to 8,201.
  const auto rest =
      static_cast<double>(numerics::larger(0.0L, 1 - reported * (1 - numerics::kExtendedRoundings)));
  law.add(neutral_point(epsilon), round_up(rate * rest));
  return law;
}

double neutral_point(double epsilon) { return round_up(-std::expm1(-epsilon)); }

double log_probability(double p, double not_p) { return p < 0.5 ? std::log(p) : std::log1p(-not_p); }

}  // namespace muster::accounting
