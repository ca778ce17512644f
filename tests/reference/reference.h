// The reference: certified lower bounds of the true divergence, from explicit data sets, by
// convolution and enumeration.
//
// Every proven upper bound of the same protocol, randomizer and view must be at or above these lower bounds.
// In the data sets, the others all hold the alternative, or all the record, and they may have the lowest
// rates. For few clients, every data set of two or three records is used (enumeration.h). The adversaries
// use the exact likelihood ratio, count one bit of each message, or look at the largest message. The
// functions are pure.
#pragma once

#include <vector>

#include "tests/reference/experiment.h"

namespace muster::reference {

struct Repetition {
  Experiment experiment;
  double rounds;
};

// Returns a lower bound of the divergence of all stages together at epsilon >= 0. `aim` is roughly the delta
// that an upper bound claims. Tails far below it may be left out.
long double certified_delta(const std::vector<Repetition>& stages, double epsilon, double aim);

}  // namespace muster::reference
