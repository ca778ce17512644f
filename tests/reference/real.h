// Balls at 192 bits, with their ends as long doubles rounded outward, and two functions of them.
#pragma once

#include "tests/support/arb_ball.h"

namespace muster::reference {

using Real = ArbBall<192>;

// ln of the probability of j ones among n coins that each show one with probability p; p and 1 - p
// are both given.
Real log_binomial(double n, double j, const Real& p, const Real& not_p);
// P(Z > x) of a standard normal Z.
Real upper_normal(const Real& x);

}  // namespace muster::reference
