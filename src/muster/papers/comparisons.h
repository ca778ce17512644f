// Computes the papers' own bounds for a protocol, which `--all` adds to a statement beside the proven ones.
//
// Most are as_published and say what is wrong with them; a few are proven but looser or slower than the
// default. Training, calibration and reports ask for none of them. Pure function; it takes seconds at worst.
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

// The same for all rounds of the stages. The papers' formulas are for rounds that are all alike, so there are
// none for more than one stage.
std::vector<Bound> comparisons(const Mechanism& mechanism, const std::vector<Stage>& stages,
                               const Question& question);

}  // namespace muster::accounting
