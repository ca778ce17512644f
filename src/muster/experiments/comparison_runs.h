// Lists the training runs of a comparison: every row that has a plan is trained with its seed and the seeds
// after it.
//
// A row of the reference `local` holds a plan, too: its own protocol with the noise that needs no shuffler. A
// sum of messages does not depend on who may see them, so the model is the same with and without a shuffler,
// and the row is trained as it stands. The folder of its run states the epsilon with an honest shuffler,
// which is never larger than that of the row. Where a shuffler gains nothing, as for a single client, both
// rows may hold the same plan, and share one run. The rows of `central` have no plan and no runs. The
// functions are pure, except that runs_of() changes `all`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "muster/comparison/comparison.h"
#include "muster/experiments/planned_runs.h"

namespace muster::experiments {

// Gives every row that has a plan its runs, one per seed, and returns them in the order of the rows. They
// point into `all`, which must not be copied, moved or changed before the runs are done. Throws Error(usage)
// if the seeds go beyond the last one.
std::vector<PlannedRun> runs_of(comparison::Comparison& all, std::uint64_t seeds);

// Throws Error(plan) if the plan's budget is below the target of the comparison. A run would stop before its
// last round, so that its accuracy would not be that of the rounds compared.
void check_budget(const protocols::Plan& own, const protocols::Target& target);

}  // namespace muster::experiments
