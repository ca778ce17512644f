// Lists the theorems that cover a randomizer under each participation: one overload of `cover` per
// participation, in the cover.cc of the folder that holds its theorems.
//
// To add a theorem, give it a file of its own and an entry in one cover.cc: its id, citation, assumptions and
// curve. Order matters: a bound marked `is_dominated` is provably no smaller than an earlier one, and is
// shown but never charged. A theorem of exact/ (lower bounds) or of swap/ that serves several participations
// has its entry in that folder's cover.cc. The functions change nothing but the list, which belongs to one
// thread; the curves in it may be called from any thread.
#pragma once

#include <string>
#include <vector>

#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"
#include "muster/theorems/round_bound.h"

namespace muster::accounting {

struct Applicable {
  std::vector<RoundBound> uppers;
  std::vector<RoundPair> lowers;
  // Why no theorem covers the mechanism and participation; empty if one does. If the shuffler colludes,
  // `uppers` is empty, and this text is as in the participation's own view.
  std::string missing;
};

// These functions append the bounds for an adversary with the participation's own view.
void cover(const Mechanism& mechanism, const Shuffle& p, Applicable& list);            // in everyone/
void cover(const Mechanism& mechanism, const FixedSubset& p, Applicable& list);        // in subset/
void cover(const Mechanism& mechanism, const ShuffledCheckIn& p, Applicable& list);    // in check_in/
void cover(const Mechanism& mechanism, const RandomCheckIn& p, Applicable& list);      // in slots/
void cover(const Mechanism& mechanism, const AggregatedCheckIn& p, Applicable& list);  // in aggregated/

// Adapts the list of a shuffle, subset or check-in to an adversary who sees only the sum and the number of
// the messages, or the list of averaged slots to one who sees only each slot's sum and number. Adds the
// bounds that hold only for the sum, and drops the lower bounds that the sum does not attain. It is defined
// in aggregated/.
void cover_sum(const Mechanism& mechanism, const Participation& participation, Applicable& list);

}  // namespace muster::accounting
