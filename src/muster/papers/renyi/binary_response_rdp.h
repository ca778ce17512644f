// Encloses the Renyi divergence of the homogeneous pair under binary randomized response, in both directions
// and at real orders.
//
// A secret subset of k of n clients reports (k = n: all of them), and all clients but the victim hold her
// second record. P and Q are the laws with her first and second record. Under Q, the number i of reports that
// differ from the second record is Bin(k, q), and
//     P/Q = S = 1 + (c/n) (i - k q),   q = 1 / (e^eps0 + 1),   c = e^eps0 - e^-eps0.
// With f(x; p) = (1+x)^p - 1 - p x >= 0 and E(S-1) = 0, each direction is a sum of k + 1 non-negative terms:
//     forward   D_l(P||Q) = log( 1 + E f(S-1; l) ) / (l-1),
//     reverse   D_l(Q||P) = log( 1 + E f(S-1; 1-l) ) / (l-1).
// Orders range from 1.01 to 10^6. For k above 10^6 the result is [0, infinity]. The enclosure allows for a
// relative error of 2e-11 in the expectation of f (log-gamma at 10^6 and the sum, in long double). As the
// divergence is that of one pair, it is a lower bound of the mechanism's Renyi guarantee:
// docs/theory/shuffle-gaussian-rdp.md. Pure function; it takes 0.3 us per report.
#pragma once

#include "muster/numerics/enclosure.h"

namespace muster::accounting {

enum class Direction { forward, reverse };

numerics::Enclosure binary_response_rdp(Direction direction, double clients, double subset, double epsilon0,
                                        double order);

}  // namespace muster::accounting
