// Gaussian messages of some clients, secretly chosen: two types of other clients as entries of the list in
// applicable.h (docs/theory/gaussian-two-types.md). Pure functions.
#pragma once

#include <memory>
#include <vector>

#include "muster/accounting/composition/round_bound.h"
#include "muster/accounting/describe/mechanism.h"
#include "muster/accounting/theorems/swap/reporting_sum.h"

namespace muster::accounting {

// Appends the bound for n honest clients of one rate in (0, 1), or for k < n of them, where the mechanism is
// Gaussian and the page's table has laws for its noise; `local` belongs to the mechanism. True where the
// profile-only law can then be no better: the table's ball is as small as the set of records, and the curve
// takes that law wherever it may be the smaller.
bool add_two_types_of_check_in(const Mechanism& mechanism, const std::shared_ptr<const ReportingSum>& local,
                               double n, double rate, std::vector<RoundBound>& uppers);
bool add_two_types_of_subset(const Mechanism& mechanism, const std::shared_ptr<const ReportingSum>& local,
                             double n, double k, std::vector<RoundBound>& uppers);

}  // namespace muster::accounting
