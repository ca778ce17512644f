// The variance of the mean of a round's reports (in slot protocols, of a step's), which is the server's estimate
// of the mean over all clients.
//
// Every client holds a value of size 1 (one clip norm, or one symbol for k-rr), and its report is unbiased.
// Let s be the second moment of a report, n the number of clients, and g the probability that a client
// reports (1 for shuffle; in random-check-in-averaged, that it reports in a given slot). Then the mean has
// variance (s - g) / (n g), in squared clip norms. Subsets of fixed size, and slots that one client or a dummy
// answers, have other formulas, which hold where the clients' values have mean 0 and are upper bounds otherwise
// (docs/theory/accuracy.md). This is the variance for one number. In d coordinates the variance is larger, but
// the best choice of noise and rate hardly changes.
#pragma once

#include "muster/plan/plan.h"

namespace muster::protocols {

// Throws Error(plan) if the plan does not define what a report carries (pure).
double round_variance(const PlanValues& values);

}  // namespace muster::protocols
