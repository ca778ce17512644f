// The number of ones among everybody's bits: m others show a one with
// probability c each, the victim with a or b.
//
// The law under the record is Bin(m, c) shifted by one with probability a, under the alternative with
// probability b. Its likelihood ratio rises with the number of ones, and the sum over them is done one by
// one, upwards from the binomial coefficient that Arb gives: no formula for a tail. Pure functions.
#pragma once

#include "tests/reference/pair.h"
#include "tests/reference/real.h"

namespace muster::reference {

struct CountedBits {
  double others;
  Real c, not_c;
  Real a, not_a, b, not_b;  // a > b
};

// At most the divergence at epsilon of the two laws of the number of ones; exact to about 1e-12 unless more
// than a few million numbers matter.
long double delta_of(const CountedBits& bits, double epsilon);

// The two laws, numbers far out given up where they have less than `tail`,
// neighbours merged where they are many.
Pair pair_of(const CountedBits& bits, double tail, bool swapped);

}  // namespace muster::reference
