// Lists the runs of a sweep or a comparison: the plan of each run, and where its result goes. Several plans
// may each have several runs, which differ only in their seed.
//
// The functions are pure, except that order_for_training() reorders its argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "muster/plan/plan.h"
#include "muster/simulation/sweep.h"

namespace muster::experiments {

struct PlannedRun {
  protocols::Plan plan;
  std::size_t seed;            // 0 for the first seed of its plan, 1 for the second one
  simulation::SweptRun* into;  // its folder, and its result once the run has ended; must outlive this object
};

// Returns the plan with its own seed and the seeds after it, `seeds` plans in all. Throws Error(usage) if
// that goes beyond the last seed.
std::vector<protocols::Plan> plans_with_seeds(const protocols::Plan& first, std::uint64_t seeds);

// Returns the data_identity of the runs if it is the same for all of them, and "" otherwise.
std::string shared_data(const std::vector<PlannedRun>& runs);

// Orders the runs so that those on the same data set are consecutive. Otherwise the order is seed by seed, so
// that every plan has a result early. Runs that agree in both keep their order.
void order_for_training(std::vector<PlannedRun>& runs);

// Throws Error(data) for the first of the runs that failed. `kind` says what they are: "sweep" or
// "comparison".
void throw_if_any_failed(const std::vector<PlannedRun>& runs, const std::string& kind);

}  // namespace muster::experiments
