// From a trapezoidal sum along a contour, whose integrand is smoothed by a normal variable, to an
// enclosure of E(S - k)_+.
//
// The sum itself errs upward: its aliases are nonnegative, and by Jensen's inequality smoothing adds.
// The lower end subtracts bounds on both; expected_excess.h has the inequalities. Used by
// excess_by_contour.cc for one law and by excess_of_mixed_sum.cc for several. Pure functions.
#pragma once

#include <cmath>
#include <limits>

#include "muster/numerics/enclosure.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/sums/contour.h"

namespace muster::numerics::contour {

// In units of e^{log_scale}.
struct SmoothedSum {
  double value;
  double error;    // two-sided: skipped terms, truncation, round-off
  double density;  // upper bound on the density of S + Z at k, for the smoothing Z
  double visited;  // share of the frequencies that the budget was enough for; the rest is valid if it is 1
};

// The enclosure of E(S - k)_+ from the sum with smoothing of deviation s along Re z = c.
inline Enclosure without_smoothing(const SmoothedSum& sum, double log_scale, double c, double s,
                                   const Period& period) {
  constexpr double kOutward = 64 * std::numeric_limits<double>::epsilon();
  const double scale = std::exp(log_scale);
  const double upper = (larger(sum.value, 0.0) + sum.error) * scale * (1 + kOutward);
  const double lower = (sum.value - sum.error) * scale * (1 - kOutward) - s * s * sum.density * scale -
                       period.aliases_of_excess(c, s, upper);
  return {larger(0.0, lower), upper};
}

// Both ends raised to Jensen's lower bound (E S - k)_+, of which the rounding of E S - k is taken off at
// the lower end.
inline Enclosure raised_to_jensen(const Enclosure& ends, double jensen, double k) {
  return {larger(ends.lower, jensen - 8 * std::numeric_limits<double>::epsilon() * std::abs(k)),
          larger(ends.upper, jensen)};
}

}  // namespace muster::numerics::contour
