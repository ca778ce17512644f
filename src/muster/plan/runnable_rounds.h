// Refuses plans whose rounds can be described and charged, but not run.
//
// The function is pure and may be called from any thread.
#pragma once

#include "muster/plan/plan.h"

namespace muster::protocols {

// Throws Error(plan), which names the key, for more slots or updates than training supports, for a window
// that is longer than the run, and for steps that would reach from one run of slots into the next.
void check_rounds_can_run(const Plan& plan);

}  // namespace muster::protocols
