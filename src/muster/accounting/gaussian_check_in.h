// Gaussian messages of some clients, secretly chosen: two types of other clients as an entry of the list in
// applicable.h. Pure functions.
#pragma once

#include <memory>
#include <optional>

#include "muster/accounting/bounds/swap/reporting_sum.h"
#include "muster/accounting/mechanisms/mechanism.h"
#include "muster/accounting/round_bound.h"

namespace muster::accounting {

// n honest clients of one rate in (0, 1), or k < n of them; `local` belongs to the mechanism. None where the
// table of docs/theory/gaussian-two-types.md has no laws for this noise.
std::optional<RoundBound> gaussian_check_in_bound(const GaussianLocal& mechanism,
                                                  std::shared_ptr<const ReportingSum> local, double n,
                                                  double rate);
std::optional<RoundBound> gaussian_subset_bound(const GaussianLocal& mechanism,
                                                std::shared_ptr<const ReportingSum> local, double n,
                                                double k);

// Whether the profile-only law can be no better, the table's ball being as small as the set of records.
bool two_types_replace_profile(const GaussianLocal& mechanism);

}  // namespace muster::accounting
