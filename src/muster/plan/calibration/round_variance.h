// Computes the variance of the server's estimate of the mean over all clients. The estimate is the sum of the
// reports of a round or, in slot protocols, of a step (dummies' reports included), divided by the expected
// number of reports that come from clients.
//
// Every client holds a value of size 1 (one clip norm, or one symbol for k-rr), and its report is unbiased.
// Let s be the second moment of a report, n the number of clients, and g the probability that a client
// reports in a round: g = 1 for shuffle, and in random-check-in-averaged g is the probability for one slot.
// Then the estimate has the variance (s - g) / (n g), in squared clip norms. Other formulas apply to subsets
// of fixed size and to slots that one client or a dummy answers. If the clients' values have mean 0, these
// formulas are exact, except for several slots a step, where they are upper bounds; otherwise they are upper
// bounds (docs/theory/accuracy.md). All formulas are for one number. In d coordinates the variance is larger,
// but the best choice of noise and rate hardly changes. The function is pure.
#pragma once

#include "muster/plan/plan.h"

namespace muster::protocols {

// Throws Error(plan) for the randomizers `pure` and `profile`, which do not define what a report carries.
double round_variance(const PlanValues& values);

}  // namespace muster::protocols
