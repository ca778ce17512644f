// Lists the theorems that hold for a mechanism, a participation and a view. The accountant, the tests and the
// tables of `muster account` all use this one list.
//
// The cover.cc of each folder says which theorem covers what (cover.h); this file adds what an
// adversary's view changes, and caps every bound by what a message gives away by itself. Pure function; the
// curves may be called from any thread.
#pragma once

#include <optional>

#include "muster/accounting/statement.h"
#include "muster/accounting/theorems/cover.h"
#include "muster/describe/mechanism.h"
#include "muster/describe/participation.h"

namespace muster::accounting {

// The bounds that hold for an adversary with the view `asked`, by default the participation's own view.
// An upper bound for a view that shows more also holds for a view that shows less; for lower bounds it
// is the other way round. Throws Error(uncovered) for a view in which no theorem covers this protocol.
Applicable applicable(const Mechanism& mechanism, const Participation& participation,
                      std::optional<View> asked = std::nullopt);

}  // namespace muster::accounting
