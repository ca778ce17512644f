// The reference `central`: a trusted server that samples clients with a protocol's own probability, adds up their
// clipped vectors and adds Gaussian noise once (Theorem 25, docs/theory/sampled-gaussian.md). Pure.
#pragma once

#include "muster/accounting/statement.h"
#include "muster/comparison/comparison.h"
#include "muster/plan/plan.h"

namespace muster::comparison {

// The row with the smallest sigma of six digits, between 0.01 and 1e8, that meets the target for these neighbours
// (replace_one or add_remove). A client is sampled with the probability that she reports in a round of `own` (in
// a slot protocol, at a given slot), and with probability 1 if accuracy is wished for. sigma is the deviation of
// the noise of the whole sum, in clips.
Row central_row(const protocols::Plan& own, const Wish& wish, accounting::Neighbouring neighbouring);

}  // namespace muster::comparison
