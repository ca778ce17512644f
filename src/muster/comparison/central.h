// The reference `central`: a trusted server that samples clients with the check-in probability of a protocol,
// adds up their clipped vectors and adds Gaussian noise once (Theorem 25, docs/theory/sampled-gaussian.md).
// The function is pure.
#pragma once

#include "muster/accounting/statement.h"
#include "muster/comparison/comparison.h"
#include "muster/plan/plan.h"

namespace muster::comparison {

// Returns the row with the smallest sigma, between 0.01 and 1e8 and with six significant digits, that meets
// the target for `neighbouring` (replace_one or add_remove). sigma is the deviation of the noise on the sum,
// in clip norms. A client is sampled with the probability that it reports in a round of `own` (in a slot
// protocol, in a given slot), or with probability 1 if request.solves is `accuracy`.
Row central_row(const protocols::Plan& own, const Request& request, accounting::Neighbouring neighbouring);

}  // namespace muster::comparison
