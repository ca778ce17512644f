// The reference: at most the true divergence of some data sets, by convolution and enumeration.
//
// Certified: every proven upper bound of the same protocol, randomizer and view must be at or above it. Data
// sets: all others hold the alternative, or the record; others at the lowest rates; for a handful of clients
// every data set of a few records. Adversaries: the exact likelihood ratio, or one bit of each message,
// counted. Pure functions.
#pragma once

#include <vector>

#include "tests/reference/experiment.h"

namespace muster::reference {

struct Repetition {
  Experiment experiment;
  double rounds;
};

// Of all stages together at epsilon >= 0. `aim`: about where the result matters (an upper bound's claim):
// tails far below it are not followed.
long double certified_delta(const std::vector<Repetition>& stages, double epsilon, double aim);

}  // namespace muster::reference
