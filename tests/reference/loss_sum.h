// T rounds whose losses are large: the chance that their sum passes epsilon, from below.
//
// A cell of losses hides all but its smallest one where it is wider than 1: the masses of pair.h then lose
// half a cell a round. Here each loss is put on a lattice with its mean kept, on one of its two neighbours by
// chance. The errors are independent of everything before them, have mean 0 and known ranges c_i, so that by
// Hoeffding their sum passes t with probability exp(-2 t^2 / sum c_i^2) at most; and for any s > 0
//
//     delta(epsilon) >= (1 - e^-s) ( P(rounded sum > epsilon + s + t) - exp(-2 t^2 / sum c_i^2) ).
//
// Pure function.
#pragma once

#include "tests/reference/pair.h"

namespace muster::reference {

// At most the divergence of T copies of the pair at epsilon. `aim`: about how large it is.
long double large_loss_delta(const Pair& pair, double rounds, double epsilon, double aim);

}  // namespace muster::reference
