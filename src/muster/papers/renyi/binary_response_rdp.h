// Computes the Renyi divergence of the homogeneous pair under binary randomized response, in both
// directions and at every real order.
//
// k of n clients report (k = n: all of them), and the others hold the victim's second record. With
//     P/Q = S = 1 + (c/n) (i - k q),   i ~ Bin(k, q),   q = 1 / (e^eps0 + 1),   c = e^eps0 - e^-eps0,
// f(x; p) = (1+x)^p - 1 - p x >= 0 and E(S-1) = 0, each direction is a sum of k + 1 non-negative terms:
//     forward   D_l(P||Q) = log( 1 + E f(S-1; l) ) / (l-1),
//     reverse   D_l(Q||P) = log( 1 + E f(S-1; 1-l) ) / (l-1).
// Orders 1.01 .. 10^6 and k up to 10^6; above that, the result is [0, infinity]. Results are enclosures:
// the excess has a relative error below 2e-11 (log-gamma at 10^6 and the sum, in long double). As it
// concerns one pair, it is a lower bound of the mechanism's Renyi guarantee:
// docs/theory/shuffle-gaussian-rdp.md. Pure function; 0.3 us per client.
#pragma once

#include "muster/numerics/enclosure.h"

namespace muster::accounting {

enum class Direction { forward, reverse };

numerics::Enclosure binary_response_rdp(Direction direction, double clients, double subset, double epsilon0,
                                        double order);

}  // namespace muster::accounting
