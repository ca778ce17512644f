// Adds the bounds of the swap theorem, which exchanges the victim with an absent client, to the list
// of a check-in or a secret subset. They are the profile-only form (docs/theory/profile-only.md) and
// the bounds by the worst types of the other clients, for class C (Theorem 4, docs/theory/class-c.md)
// and for Gaussian messages (Theorem 5, docs/theory/gaussian-two-types.md). The function only appends
// to the list; the curves in it may be called from any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "muster/describe/mechanism.h"
#include "muster/theorems/cover.h"
#include "muster/theorems/round_shape.h"
#include "muster/theorems/swap/reporting_sum.h"

namespace muster::accounting {

// Adds all bounds that cover the mechanism for the given shape, lower bounds by single data sets included.
// The shape must not make everybody report: shape.count is below shape.clients, or shape.rate below 1. `who`
// lists the assumptions on the clients and their participation, and `sum` is made from `mechanism`.
// `profile_only` is the bound by the profile-only form; its assumptions and is_dominated are set here.
void add_swap_bounds(const Mechanism& mechanism, const RoundShape& shape, const std::vector<std::string>& who,
                     const std::shared_ptr<const ReportingSum>& sum, RoundBound profile_only,
                     Applicable& list);

}  // namespace muster::accounting
