// Shortens a plan to a fraction of its rounds, so that a figure can be tried out without training for hours.
// Pure function.
#pragma once

#include "muster/plan/source.h"

namespace muster::reproduce {

// Returns the plan with `scale` times its rounds, rounded to the nearest number but at least one. What the
// plan states by rounds is shortened with them: log_every, checkpoint_every, and the rounds at which the
// steps of its learning rate and of its dropout begin. Steps that would begin in the same round leave only
// the last of them. Defaults that follow from the number of rounds follow from the new number. Requires 0 <
// scale <= 1; at 1 the source is returned as it is. Throws what Plan::validate throws.
protocols::PlanSource shortened(const protocols::PlanSource& source, double scale);

}  // namespace muster::reproduce
