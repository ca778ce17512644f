// Composes rounds of the subsampled shuffle, as the clone pair of Feldman, McMillan, Talwar (FOCS 2021)
// bounds them, by advanced composition. papers/published/published_subset.h composes the same rounds
// optimally.
//
// The pair's exact divergence gives the guarantee of k shuffled messages, and Balle, Barthe, Gaboardi (2018)
// that of a subset of k of n clients. Rounds compose by Dwork and Roth (2014), Theorem 3.20 (see
// papers/optimal_composition.h). A ClonesComposed never changes, so threads may share it. Construction takes
// about a second.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "muster/papers/optimal_composition.h"

namespace muster::reproduce::subsampled_shuffle {

class ClonesComposed {
 public:
  ClonesComposed(double clients, double subset, double epsilon0);
  // Returns epsilon of `rounds` rounds at delta, by the best of the tabulated guarantees of a round; nullopt
  // if none composes to this delta.
  std::optional<double> epsilon(std::uint64_t rounds, double delta) const;

 private:
  std::vector<accounting::Guarantee> round_;  // guarantees of one round, by falling delta
};

}  // namespace muster::reproduce::subsampled_shuffle
