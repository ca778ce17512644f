// Composes rounds of distributed check-in by "strong composition", with which Figure 4 of the later version
// of "Shuffled check-in" compares its Theorem 5. The text states no formula, so this reading is ours. Pure
// function.
#pragma once

#include <cstdint>
#include <optional>

#include "muster/papers/published/published_distributed.h"

namespace muster::reproduce {

// Returns the epsilon of `rounds` rounds at `delta`: a round is the Gaussian mechanism with the noise of
// `reports` reports, subsampled at the check-in rate (Balle et al. 2018), and rounds compose by Dwork and
// Roth (2014), Theorem 3.20. The delta of a round is the one that gives the least epsilon. Returns nullopt if
// none gives an epsilon.
std::optional<double> strong_composition_epsilon(
    const accounting::published_distributed::DistributedRound& round, double reports, std::uint64_t rounds,
    double delta);

}  // namespace muster::reproduce
