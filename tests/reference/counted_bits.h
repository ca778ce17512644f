// The law of the number of ones among all clients' bits. Each of m others shows a one with probability c. The
// victim shows a one with probability a under her record and b under the alternative.
//
// The law is Bin(m, c), shifted by one with probability a under the record and b under the alternative. The
// likelihood ratio rises with the number of ones. The divergence is summed term by term, upwards from a
// binomial probability that Arb gives, without a formula for the tail. The functions are pure.
#pragma once

#include "tests/reference/pair.h"
#include "tests/reference/real.h"

namespace muster::reference {

struct CountedBits {
  double others;
  Real c, not_c;
  Real a, not_a, b, not_b;  // requires a > b
};

// Returns a lower bound of the divergence at epsilon of the two laws of the number of ones. Its relative
// error is about 1e-12 unless more than 4 million terms matter.
long double delta_of(const CountedBits& bits, double epsilon);

// Returns the two laws, exchanged if `swapped`. Numbers of ones far from the mean, which together have a
// probability of about `tail`, are left out. If many numbers are left, adjacent ones are merged.
Pair pair_of(const CountedBits& bits, double tail, bool swapped);

}  // namespace muster::reference
