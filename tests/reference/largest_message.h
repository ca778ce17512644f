// An adversary who looks only at the largest message in the victim's direction, which reveals the most if the
// noise is normal with a small sigma.
//
// If all others hold the alternative, the distribution function of the largest message is a product:
// F_Q(t) is the product over all clients of P(no message beyond t), and F_P differs from it only in the
// victim's factor. Pure function.
#pragma once

#include "tests/reference/experiment.h"
#include "tests/reference/pair.h"

namespace muster::reference {

// The laws of the largest message, in cells; empty unless the noise is normal. `swapped` exchanges the record
// and the alternative; `tail` is a probability that may be left out.
Pair largest_message_pair(const Experiment& e, double tail, bool swapped);

}  // namespace muster::reference
