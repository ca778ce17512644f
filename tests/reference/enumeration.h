// Enumerates, in ball arithmetic, every multiset of messages of every data set: of two records for at most
// nine clients, or of three records for at most five clients.
//
// Messages are merged into at most four cells. For randomized response this loses nothing, because merged
// symbols are equally likely under all three records. The functions are pure.
#pragma once

#include <vector>

#include "tests/reference/experiment.h"
#include "tests/reference/pair.h"

namespace muster::reference {

constexpr double kMaxEnumerated = 9;

// Returns a pair of laws for every data set of the others and for both orders of the victim's two records.
// The result is empty if the experiment has too many clients or a shape that is not enumerated.
std::vector<Pair> enumerated_pairs(const Experiment& e);

}  // namespace muster::reference
