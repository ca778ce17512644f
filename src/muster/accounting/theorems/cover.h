// The theorems that cover each participation, one function for each, defined in its folder's cover.cc.
#pragma once

#include <string>
#include <vector>

#include "muster/accounting/composition/round_bound.h"
#include "muster/accounting/describe/mechanism.h"
#include "muster/accounting/describe/participation.h"

namespace muster::accounting {

struct Applicable {
  std::vector<RoundBound> uppers;
  std::vector<RoundPair> lowers;
  // What no theorem covers; empty if `uppers` is not.
  std::string missing;
};

void cover(const Mechanism& mechanism, const Shuffle& p, Applicable& list);
void cover(const Mechanism& mechanism, const FixedSubset& p, Applicable& list);
void cover(const Mechanism& mechanism, const ShuffledCheckIn& p, Applicable& list);
void cover(const Mechanism& mechanism, const RandomCheckIn& p, Applicable& list);
void cover(const Mechanism& mechanism, const AggregatedCheckIn& p, Applicable& list);

// A shuffle, subset or check-in whose messages are added up before anybody sees them.
void add_sums(const Mechanism& mechanism, const Participation& participation, Applicable& list);

}  // namespace muster::accounting
