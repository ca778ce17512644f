// Computes the bounds that papers give for a protocol; `muster account --all` lists them beside the proven
// bounds.
//
// Most of these bounds are as_published and say what is wrong with them. A few are proven, but looser or
// slower to compute than the bounds used by default. Training and calibration use none of them. Pure
// functions; they take seconds at worst.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"
#include "muster/describe/stage.h"

namespace muster::accounting {

std::vector<Bound> comparisons(const Mechanism& mechanism, const Participation& participation,
                               std::uint64_t rounds, const Question& question);

// Returns the bounds for all rounds of the stages. The papers' formulas need identical rounds, so the result
// is empty unless there is exactly one stage.
std::vector<Bound> comparisons(const Mechanism& mechanism, const std::vector<Stage>& stages,
                               const Question& question);

}  // namespace muster::accounting
