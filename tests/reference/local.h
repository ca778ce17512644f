// Enclosures of the divergence of one client's messages over T rounds, hidden by no other client, for normal
// noise and binary randomized response.
//
// The functions are pure.
#pragma once

#include "tests/reference/real.h"

namespace muster::reference {

struct Interval {
  long double below, above;
};

// Returns the hockey-stick divergence at epsilon = log_ratio of two normal laws mu standard deviations
// apart. T rounds are such a pair at the distance mu sqrt(T).
Interval gaussian_delta(const Real& mu, const Real& log_ratio);

// Returns the divergence of T rounds of binary randomized response, summed over the number of true answers.
Interval response_delta(double epsilon0, double rounds, double epsilon);

}  // namespace muster::reference
