// Lists the theorems that hold for a mechanism, a participation and a view. The accountant, the tests and the
// tables of `muster account` all use this one list.
//
// The cover.cc of each folder says which theorems cover which mechanisms (cover.h). This file adapts the
// resulting list to the adversary's view, and caps every upper bound by the divergence without
// amplification. The function is pure, and the curves may be called from any thread.
#pragma once

#include <optional>

#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"
#include "muster/describe/view.h"
#include "muster/theorems/cover.h"

namespace muster::accounting {

// Returns the bounds that hold for an adversary with the view `asked`, by default the participation's own
// view. An upper bound for a view that shows more also holds for a view that shows less, and a lower bound
// for a view that shows less also holds for one that shows more. Throws Error(uncovered) for a view in
// which no theorem covers this protocol.
Applicable applicable(const Mechanism& mechanism, const Participation& participation,
                      std::optional<View> asked = std::nullopt);

}  // namespace muster::accounting
