// Entries of the theorems that serve both check-in and secret subsets: class C, and two types of other
// clients (Theorem 5, docs/theory/gaussian-two-types.md) for Gaussian messages. Pure functions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "muster/accounting/composition/round_bound.h"
#include "muster/accounting/describe/mechanism.h"
#include "muster/accounting/theorems/swap/class_c.h"
#include "muster/accounting/theorems/swap/reporting_sum.h"

namespace muster::accounting {

RoundBound class_c(const Mechanism& mechanism, std::vector<std::string> assumptions, ClassCCurve curve);

// Appends the bound for n honest clients of one rate in (0, 1), or for a secret subset of k < n of them,
// if the mechanism is Gaussian and the page's tables cover its noise; `local` is the mechanism's own sum.
// Returns true if the profile-only bound cannot be smaller: the ball of the table is then no larger than
// the set of records, and the curve itself takes the profile-only law wherever that may be the smaller.
bool add_two_types_of_check_in(const Mechanism& mechanism, const std::shared_ptr<const ReportingSum>& local,
                               double n, double rate, std::vector<RoundBound>& uppers);
bool add_two_types_of_subset(const Mechanism& mechanism, const std::shared_ptr<const ReportingSum>& local,
                             double n, double k, std::vector<RoundBound>& uppers);

}  // namespace muster::accounting
