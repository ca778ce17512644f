// Says which of several rounds no theorem covers, and why. These are charged without amplification, by what
// the messages alone guarantee. This file is internal to Accountant's schedules and to Launches. The function
// is pure.
#pragma once

#include <string>
#include <vector>

#include "muster/accounting/composed_rounds.h"

namespace muster::accounting {

// Returns a text for each reason, such as "rounds 3 to 5: no theorem for ..." or, if the rounds belong to
// launches, "launch 2, rounds 1 to 7: ...". Rounds are numbered from 1 in each launch. The list is empty if
// theorems cover all rounds in the protocols' own views.
std::vector<std::string> uncovered_rounds(const std::vector<ChargedRounds>& rounds);

}  // namespace muster::accounting
