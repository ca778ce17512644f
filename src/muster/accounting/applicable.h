// Which theorems cover a randomizer under a participation: the one list that the accountant, the tests and
// the tables of `muster account` read.
//
// Adding a theorem is adding a line here: its id, citation, assumptions and curve. Order: a bound marked
// `never_best` is provably no smaller than an earlier one and is computed for the table alone. Pure function;
// the curves may be called from any thread.
#pragma once

#include <string>
#include <vector>

#include "muster/accounting/mechanisms/mechanism.h"
#include "muster/accounting/participation.h"
#include "muster/accounting/round_bound.h"

namespace muster::accounting {

struct Applicable {
  std::vector<RoundBound> uppers;  // in the participation's own view
  std::vector<RoundPair> lowers;
  std::string missing;  // what no theorem covers; empty when `uppers` is not
};

Applicable applicable(const Mechanism& mechanism, const Participation& participation);

}  // namespace muster::accounting
