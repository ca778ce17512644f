// The variance of what the server learns in a round: the mean of the reports, as an estimate of the mean
// over all clients.
//
// Every client holds a value of size 1 (one clip, or one symbol for k-rr), and its report is unbiased. If s
// is the second moment of a report, g the probability that a client reports (in random-check-in-averaged, at
// a given slot) and n the number of clients, the mean has variance (s - g) / (n g)
// (docs/theory/accuracy.md). It is in squared clips, for one number: in d coordinates the variance is
// larger, but the best choice of noise and rate hardly changes.
#pragma once

#include "muster/plan/plan.h"

namespace muster::protocols {

// Throws Error(plan) if the plan does not define what a report carries (pure), if no coin is tossed per
// round (shuffle, subset), or if an update has only one report (random-check-in-fixed, -sliding).
double round_variance(const PlanValues& values);

}  // namespace muster::protocols
