// Makes the theorems for Gaussian messages that everybody sends, the star with a pool (Theorem 16) and
// the exact homogeneous pair (Theorem 23), entries of the list in applicable.h. Pure functions.
#pragma once

#include <cstdint>
#include <optional>

#include "muster/accounting/composition/round_bound.h"

namespace muster::accounting {

// The proven upper bound for records that lie in a ball of `radius` and pairwise within mu, both in noise
// deviations. nullopt where no pool is large enough; StarPool::why_not makes the message for that case.
std::optional<RoundBound> gaussian_shuffle_bound(std::uint64_t clients, double mu, double radius);

// The exact curves of the data set whose other clients all hold the victim's alternative, at distance mu.
RoundPair gaussian_shuffle_pair(std::uint64_t clients, double mu);

}  // namespace muster::accounting
