// Enumerates, in ball arithmetic, every multiset of messages of every data set of two records for at most
// nine clients, and of three records for at most five.
//
// Messages are merged into at most four cells, which is exact for randomized response of up to three
// symbols. Pure functions.
#pragma once

#include <vector>

#include "tests/reference/experiment.h"
#include "tests/reference/pair.h"

namespace muster::reference {

constexpr double kMaxEnumerated = 9;

// A pair of laws for every data set of the others and for both orders of the victim's two records; empty
// if the experiment has too many clients or a shape that is not enumerated.
std::vector<Pair> enumerated_pairs(const Experiment& e);

}  // namespace muster::reference
