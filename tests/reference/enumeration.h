// A handful of clients: every data set of a few records, every multiset of messages, in ball arithmetic.
//
// Messages are merged into a few cells, which is exact for randomized response
// of up to three symbols. Pure functions.
#pragma once

#include <vector>

#include "tests/reference/experiment.h"
#include "tests/reference/pair.h"

namespace muster::reference {

constexpr double kMostEnumerated = 9;

// A pair of laws for every data set of the others and both orders of the victim's records; none where the
// experiment has too many clients or another shape.
std::vector<Pair> enumerated_pairs(const Experiment& e);

}  // namespace muster::reference
