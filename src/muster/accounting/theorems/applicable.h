// Which theorems cover a randomizer under a participation: the one list that the accountant, the tests and
// the tables of `muster account` read.
//
// Adding a theorem is adding a line here: its id, citation, assumptions and curve. Order: a bound marked
// `is_dominated` is provably no smaller than an earlier one and is computed for the table alone. Pure function;
// the curves may be called from any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "muster/accounting/composition/round_bound.h"
#include "muster/accounting/describe/mechanism.h"
#include "muster/accounting/describe/participation.h"
#include "muster/accounting/statement.h"

namespace muster::accounting {

struct Applicable {
  std::vector<RoundBound> uppers;
  std::vector<RoundPair> lowers;
  std::string missing;  // what no theorem covers; empty when `uppers` is not
};

// What holds for an adversary with the view asked; the participation's own unless given. Whoever sees less is
// covered by every upper bound for those who see more, and covers them with every lower one. Throws
// Error(uncovered) for a view in which no theorem says anything of this protocol.
Applicable applicable(const Mechanism& mechanism, const Participation& participation,
                      std::optional<View> asked = std::nullopt);

}  // namespace muster::accounting
