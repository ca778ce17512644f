// The variance of the mean of a round's reports, which is the server's estimate of the mean over all clients.
//
// Every client holds a value of size 1 (one clip norm, or one symbol for k-rr), and its report is unbiased.
// Let s be the second moment of a report, n the number of clients, and g the probability that a client
// reports (in random-check-in-averaged, that it reports in a given slot). Then the mean has variance (s - g)
// / (n g), in squared clip norms (docs/theory/accuracy.md). This is the variance for one number. In d
// coordinates the variance is larger, but the best choice of noise and rate hardly changes.
#pragma once

#include "muster/plan/plan.h"

namespace muster::protocols {

// Throws Error(plan) if the plan does not define what a report carries (pure), if clients do not check in
// (shuffle, subset), or if an update has only one report (random-check-in-fixed, -sliding).
double round_variance(const PlanValues& values);

}  // namespace muster::protocols
