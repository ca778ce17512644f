// Everybody reports a Gaussian message: the star with a pool and the exact homogeneous pair as entries of the
// list in applicable.h. Pure functions.
#pragma once

#include <cstdint>
#include <optional>

#include "muster/accounting/composition/round_bound.h"

namespace muster::accounting {

// Proven; records in a ball of `radius`, pairwise within mu, in noise deviations; none where no pool is large
// enough (StarPool::why_not says it).
std::optional<RoundBound> gaussian_shuffle_bound(std::uint64_t clients, double mu, double radius);

// The exact curves of others who all hold the victim's alternative, at distance mu.
RoundPair gaussian_shuffle_pair(std::uint64_t clients, double mu);

}  // namespace muster::accounting
