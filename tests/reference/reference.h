// The reference: certified lower bounds of the true divergence, from explicit data sets, by
// convolution and enumeration.
//
// Every proven upper bound of the same protocol, randomizer and view must be at or above them. The data
// sets: all others hold the alternative, or the record; others have the lowest rates; for few clients, every
// data set of two or three records (enumeration.h). The adversaries use the exact likelihood ratio, count
// one bit of each message, or look at the largest message. Pure functions.
#pragma once

#include <vector>

#include "tests/reference/experiment.h"

namespace muster::reference {

struct Repetition {
  Experiment experiment;
  double rounds;
};

// A lower bound of the divergence of all stages together at epsilon >= 0. `aim`: about the delta that
// matters (what an upper bound claims); tails far below it may be left out.
long double certified_delta(const std::vector<Repetition>& stages, double epsilon, double aim);

}  // namespace muster::reference
