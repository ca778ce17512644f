// Runs a sweep: trains one plan for each combination of values of some keys, and for several seeds.
//
// Every run is an ordinary run in its own folder below runs/NAME-sweep-HASH8: it can be resumed and reported
// like any other. Before the first run begins, every combination is checked: its plan must be valid and
// covered by a theorem, and its budget must pay for the first round. Runs that share a data set are
// consecutive, and the data set is read once. Runs with the same mechanism, stages and delta share the
// accountant's curves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "muster/plan/source.h"
#include "muster/simulation/sweep.h"
#include "train_flags.h"

namespace muster::app {

// Parses "KEY=V1,V2"; values are split at commas outside brackets. Throws Error(usage) for any other
// form, for a key that no flag overrides, for `seed` (use --seeds), and for a repeated value.
simulation::SweptKey swept_key_of(const std::string& text);

// Returns the Cartesian product of the keys' values, with the last key varying fastest. A key that a flag
// gives must apply to at least one combination (plan/variants.h). Throws what Plan::validate throws, and
// Error(usage) for a key that is swept twice, for more than 10,000 runs, and for two runs of the same plan.
std::vector<simulation::Combination> combinations_of(const protocols::PlanSource& source,
                                                     const std::vector<simulation::SweptKey>& keys,
                                                     std::uint64_t seeds);

// Runs `muster train PLAN --sweep KEY=V1,V2 --seeds N` and returns the exit status.
int run_sweep(const TrainFlags& flags);

}  // namespace muster::app
