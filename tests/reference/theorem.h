// Upper bounds of the divergence that hold for every data set, by slow and simple methods.
//
// There are four: the divergence of one message alone, that of T rounds of one message, the exact worst case
// of noisy sums, and the swap theorem's profile-only sum for any epsilon0-LDP randomizer, computed over all
// combinations of its terms' atoms (docs/theory/profile-only.md). The functions are pure.
#pragma once

#include <optional>

#include "tests/reference/experiment.h"
#include "tests/reference/local.h"

namespace muster::reference {

// Encloses the divergence of one message, seen alone as when the shuffler colludes. For randomizers other
// than normal noise and binary randomized response, encloses the largest divergence that epsilon0 allows.
Interval message_delta(const Randomizer& randomizer, double epsilon);

// Encloses the profile-only bound of one round. There is no result for normal noise, slots, unequal rates,
// the view of the victim's own message, or more than 20 clients.
std::optional<Interval> swap_bound(const Experiment& e, double epsilon);

// Returns an upper bound of the worst-case divergence of `rounds` rounds, which is not always close.
long double delta_from_above(const Experiment& e, double rounds, double epsilon);

}  // namespace muster::reference
