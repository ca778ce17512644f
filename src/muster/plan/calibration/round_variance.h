// The variance of what the server learns in a round (in slot protocols, in a step): the mean of the reports,
// as an estimate of the mean over all clients.
//
// Every client holds a value of size 1 (one clip, or one symbol for k-rr), and its report is unbiased. If s
// is the second moment of a report, g the probability that a client reports (1 for shuffle; in
// random-check-in-averaged, at a given slot) and n the number of clients, the mean has variance
// (s - g) / (n g). Subsets of fixed size, and slots that are answered by one client or a dummy, have formulas
// of their own, which hold where the clients' values have mean 0 and are upper bounds otherwise
// (docs/theory/accuracy.md). The variance is in squared clips, for one number: in d coordinates it is larger,
// but the best choice of noise and rate hardly changes.
#pragma once

#include "muster/plan/plan.h"

namespace muster::protocols {

// Throws Error(plan) if the plan does not define what a report carries (pure).
double round_variance(const PlanValues& values);

}  // namespace muster::protocols
