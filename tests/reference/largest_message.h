// The largest of all messages in the victim's direction, with normal noise: what shows where noise is small.
//
// With others who all hold the alternative, the largest of the messages has a distribution function that is a
// product: F_Q(t) = prod over everybody of P(no message beyond t), and F_P the same with the victim's own
// factor. Pure function.
#pragma once

#include "tests/reference/experiment.h"
#include "tests/reference/pair.h"

namespace muster::reference {

// Cells of the largest message; empty for other randomizers. `swapped`: the
// record and the alternative change places.
Pair largest_message_pair(const Experiment& e, double tail, bool swapped);

}  // namespace muster::reference
