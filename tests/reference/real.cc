#include "tests/reference/real.h"

namespace muster::reference {

Real log_binomial(double n, double j, const Real& p, const Real& not_p) {
  Real result = log_gamma(Real(n) + 1.0) - log_gamma(Real(j) + 1.0) - log_gamma(Real(n) - Real(j) + 1.0);
  if (j > 0) result = result + Real(j) * log(p);
  if (j < n) result = result + (Real(n) - Real(j)) * log(not_p);
  return result;
}

Real upper_normal(const Real& x) { return erfc(x / sqrt(Real(2.0))) / Real(2.0); }

}  // namespace muster::reference
