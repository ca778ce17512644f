// From above: what no data set can pass, by routes that are slow and short.
//
// One message alone; T rounds of it; the exact worst case of noisy sums; and the swap theorem's profile-only
// sum for any epsilon0-LDP randomizer, over every combination of its atoms (docs/theory/profile-only.md).
// Pure functions.
#pragma once

#include <optional>

#include "tests/reference/experiment.h"
#include "tests/reference/local.h"

namespace muster::reference {

// One message, seen by whoever colludes.
Interval message_delta(const Randomizer& randomizer, double epsilon);

// The profile-only bound of one round, enclosed; none for noise, other
// shapes or more than a few dozen clients.
std::optional<Interval> swap_bound(const Experiment& e, double epsilon);

// At least the true worst-case divergence of `rounds` rounds, and not always by much.
long double delta_from_above(const Experiment& e, double rounds, double epsilon);

}  // namespace muster::reference
