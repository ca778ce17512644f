// Sums of Gaussian messages, of which nothing else is seen: entries of the
// list in applicable.h. Pure functions.
#pragma once

#include <vector>

#include "muster/accounting/mechanisms/mechanism.h"
#include "muster/accounting/participation.h"
#include "muster/accounting/round_bound.h"

namespace muster::accounting {

struct GaussianSum {
  std::vector<RoundBound> uppers;
  RoundPair lower;
};

GaussianSum gaussian_sum(const GaussianLocal& mechanism, const AggregatedCheckIn& participation);
GaussianSum gaussian_sum(const GaussianLocal& mechanism, const FixedSubset& participation);

}  // namespace muster::accounting
