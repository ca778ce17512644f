// Adds the bounds by an exchange with an absent client to the lists of check-ins and secret subsets alike: the
// profile-only form (docs/theory/profile-only.md), and the worst types of the other clients for class C
// (Theorem 4, docs/theory/class-c.md) and Gaussian messages (Theorem 5, docs/theory/gaussian-two-types.md).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "muster/accounting/theorems/cover.h"
#include "muster/accounting/theorems/shared/round_shape.h"
#include "muster/accounting/theorems/swap/reporting_sum.h"
#include "muster/describe/mechanism.h"

namespace muster::accounting {

// Adds all that cover the mechanism for the given shape, where not everybody reports for certain: `count` is
// below `clients`, or `rate` below 1. Lower bounds by single data sets are among them. `who` tells what is
// assumed of those who report, and `sum` is the mechanism's own. `profile_only` is that form's bound, whose
// assumptions are set here.
void add_swap_bounds(const Mechanism& mechanism, const RoundShape& shape, const std::vector<std::string>& who,
                     const std::shared_ptr<const ReportingSum>& sum, RoundBound profile_only,
                     Applicable& list);

}  // namespace muster::accounting
