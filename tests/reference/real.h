// Interval arithmetic at 192 bits (arb_ball.h), with functions of the binomial and the normal law.
#pragma once

#include "tests/support/arb_ball.h"

namespace muster::reference {

using Real = ArbBall<192>;

// Returns ln of the probability of j ones among n coins that
// each show one with probability p; p and 1 - p are both given.
Real log_binomial(double n, double j, const Real& p, const Real& not_p);
// Returns P(Z > x) of a standard normal Z.
Real upper_normal(const Real& x);

}  // namespace muster::reference
