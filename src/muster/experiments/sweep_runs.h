// Lists the runs of a sweep: one plan for each combination of values of some keys, each with several seeds.
//
// Example:
//     simulation::Sweep sweep = sweep_of(source, {swept_key_of("rounds.count=10,20")}, 3);
//     std::vector<PlannedRun> runs = runs_of(sweep);
//
// The functions are pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "muster/experiments/planned_runs.h"
#include "muster/plan/source.h"
#include "muster/simulation/sweep.h"

namespace muster::experiments {

// What a sweep is called in its folder's name and in errors.
inline constexpr const char* kSweepKind = "sweep";

// Parses "KEY=V1,V2"; values are split at commas outside brackets. Throws Error(usage) for any other
// form, for a key that no flag overrides, for `seed` (use --seeds), and for a repeated value.
simulation::SweptKey swept_key_of(const std::string& text);

// Returns the sweep over the Cartesian product of the keys' values, with the last key varying fastest,
// before its first run. `seeds` is at least 1. A key that a flag gives must apply to at least one
// combination (plan/variants.h). Throws what Plan::validate throws, and Error(usage) for a key that is swept
// twice, for more than 10,000 runs, and for two runs of the same plan.
simulation::Sweep sweep_of(const protocols::PlanSource& source, std::vector<simulation::SweptKey> keys,
                           std::uint64_t seeds);

// Returns the runs of all combinations, in the order of the combinations. They point into `sweep`.
std::vector<PlannedRun> runs_of(simulation::Sweep& sweep);

// Says which keys of the plan are left out, and why. Many combinations leave out the same keys for the same
// reason, which is said once.
std::vector<std::string> left_out_of(const simulation::Sweep& sweep);

}  // namespace muster::experiments
