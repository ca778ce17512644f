// An adversary who looks only at the largest message in the victim's direction, which reveals the most if the
// noise is normal with a small sigma.
//
// All others hold the alternative. The distribution function F_Q(t) of the largest message is then the
// product over all clients of the probability that the client sends no message beyond t. F_P differs from F_Q
// only in the victim's factor. The function is pure.
#pragma once

#include "tests/reference/experiment.h"
#include "tests/reference/pair.h"

namespace muster::reference {

// Returns the laws of the largest message, merged into cells. The pair is empty unless the noise is normal.
// `swapped` exchanges the record and the alternative, and `tail` is a probability that may be left out.
Pair largest_message_pair(const Experiment& e, double tail, bool swapped);

}  // namespace muster::reference
