// Sums of Gaussian messages, of which nothing else is seen: entries of the
// list in applicable.h. Pure functions.
#pragma once

#include <vector>

#include "muster/accounting/composition/round_bound.h"
#include "muster/accounting/describe/mechanism.h"
#include "muster/accounting/describe/participation.h"

namespace muster::accounting {

struct GaussianSum {
  std::vector<RoundBound> uppers;
  RoundPair lower;
};

GaussianSum gaussian_sum(const GaussianLocal& mechanism, const AggregatedCheckIn& participation);
GaussianSum gaussian_sum(const GaussianLocal& mechanism, const FixedSubset& participation);

}  // namespace muster::accounting
