#include "muster/theorems/entry.h"

#include <cmath>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

// This factor covers up to three roundings in mu, and two more for the root and the quotient.
constexpr double kUp = 1 + numerics::kEightRoundings;

}  // namespace

bool summable(const Mechanism& mechanism) { return pure_epsilon0(mechanism).value_or(0) <= kMaxEpsilon0; }

bool summable_in_class_c(const Mechanism& mechanism) { return in_class_c(mechanism) && summable(mechanism); }

double ball_radius(const GaussianLocal& mechanism) {
  const double mu = mechanism.mu();
  return numerics::larger(mu / 2, numerics::smaller(1 / mechanism.sigma(), mu / std::sqrt(2.0) * kUp));
}

double ball_diameter(const GaussianLocal& mechanism) { return 2 * ball_radius(mechanism); }

std::vector<std::string> with_mechanism(const Mechanism& mechanism, std::vector<std::string> assumptions) {
  add_assumptions(mechanism, assumptions);
  return assumptions;
}

}  // namespace muster::accounting
