// The variance of what the server learns in a round: the mean of the reports as an estimate of all clients'.
//
// Every client holds a value of size 1 (one clip; one symbol for k-rr) and its report is unbiased, so with a
// second moment s of a report, an inclusion probability g and n clients the mean has variance (s - g) / (n g)
// (docs/theory/accuracy.md). Squared clips, for one number; d coordinates multiply the noise, not the choice.
#pragma once

#include "muster/plan/plan.h"

namespace muster::protocols {

// Throws Error(plan) where the plan does not say what a report carries (pure), or where no coin is tossed for
// a round (shuffle, subset) or one report makes an update (random-check-in-fixed, -sliding).
double round_variance(const Plan& plan);

}  // namespace muster::protocols
