// Adds the bounds by the worst types of the other clients to the lists of check-ins and secret subsets alike:
// class C (Theorem 4, docs/theory/class-c.md) and Gaussian messages (Theorem 5,
// docs/theory/gaussian-two-types.md).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "muster/accounting/theorems/cover.h"
#include "muster/accounting/theorems/shared/round_shape.h"
#include "muster/accounting/theorems/swap/reporting_sum.h"
#include "muster/describe/mechanism.h"

namespace muster::accounting {

// Adds the bounds that cover the mechanism for the given shape, where not everybody reports for certain:
// `count` is below `clients`, or `rate` below 1. `who` tells what is assumed of those who report, and `sum`
// is the mechanism's own. Returns true if the profile-only bound cannot be smaller: its law is a common
// majorant of the two types of class C; and where the ball of the Gaussian's table is no larger than the set
// of records, the curve of the two types itself takes the profile-only law wherever that may be the smaller.
bool add_worst_types(const Mechanism& mechanism, const RoundShape& shape, const std::vector<std::string>& who,
                     const std::shared_ptr<const ReportingSum>& sum, Applicable& list);

}  // namespace muster::accounting
