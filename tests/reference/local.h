// Messages that nobody hides: normal noise, and randomized response, over T rounds, enclosed.
//
// Pure functions.
#pragma once

#include "tests/reference/real.h"

namespace muster::reference {

struct Interval {
  long double below, above;
};

// Two normal laws at a distance of mu deviations, at a likelihood ratio of e^log_ratio; T rounds: mu sqrt(T).
Interval gaussian_delta(const Real& mu, const Real& log_ratio);

// T rounds of binary randomized response, by summing over the number of true answers.
Interval response_delta(double epsilon0, double rounds, double epsilon);

}  // namespace muster::reference
