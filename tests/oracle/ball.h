// Interval arithmetic at 256 bits, for the values that the accountant's code must enclose.
#pragma once

#include "tests/support/arb_ball.h"

namespace muster::accounting::oracle {

using Ball = ArbBall<256>;

// Phi(x), the standard normal distribution function.
inline Ball normal(const Ball& x) { return erfc(Ball(0.0) - x / sqrt(Ball(2.0))) / Ball(2.0); }

}  // namespace muster::accounting::oracle
