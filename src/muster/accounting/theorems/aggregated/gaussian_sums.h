// The bounds and the lower bound's pair for rounds of which only the sum of Gaussian messages is seen, as
// entries of the list in applicable.h (Theorems 10 and 11, docs/theory/aggregated.md). Pure functions.
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
