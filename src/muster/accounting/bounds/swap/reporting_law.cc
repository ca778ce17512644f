#include "muster/accounting/bounds/swap/reporting_law.h"

#include <algorithm>
#include <cmath>

namespace muster::accounting {

numerics::AtomicLaw reporting_law(const Profile& profile, double rate, double epsilon) {
  const double e = std::exp(epsilon);
  const double e_minus_one = std::expm1(epsilon);
  const auto& alphas = profile.alphas();
  const auto& masses = profile.q_masses();
  numerics::AtomicLaw law;
  double reported = 0;
  for (std::size_t i = 0; i < alphas.size(); ++i) {
    const double alpha = alphas[i];
    if (alpha > e) {
      law.add(alpha - 1, rate * masses[i]);
      reported += masses[i];
    } else if (alpha < e) {
      // Left of the lowest kink the call function continues with slope -1, not with the profile's own excess:
      // that keeps a probability law whose mean is not too small.
      const double mass =
          i == 0 ? std::max(0.0, alpha * masses[i] - profile.excess_at_bottom()) : alpha * masses[i];
      law.add(e * (alpha - 1) / alpha, rate * mass);
      reported += mass;
    }
  }
  law.add(e_minus_one, rate * std::max(0.0, 1 - reported));  // X* = 0
  return law;
}

double weight_error(double expected) { return 1 + 1e-15 * (expected + 10 * std::sqrt(expected) + 64); }

}  // namespace muster::accounting
