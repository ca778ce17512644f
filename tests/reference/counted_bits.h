// The law of the number of ones among all clients' bits: each of m others shows a one with probability c,
// the victim with probability a under her record and b under the alternative.
//
// The law under the record is Bin(m, c) shifted by one with probability a, under the alternative with
// probability b. The likelihood ratio rises with the number of ones. The sum is taken term by term,
// upwards from a binomial probability that Arb gives; no formula for a tail is used. Pure functions.
#pragma once

#include "tests/reference/pair.h"
#include "tests/reference/real.h"

namespace muster::reference {

struct CountedBits {
  double others;
  Real c, not_c;
  Real a, not_a, b, not_b;  // a > b
};

// A lower bound of the divergence at epsilon of the two laws of the number of ones. It is exact to about
// 1e-12 unless more than 4 million terms matter.
long double delta_of(const CountedBits& bits, double epsilon);

// The two laws, exchanged if `swapped`. Numbers far from the mean with a probability of about `tail` are left
// out, and neighbouring numbers are merged where there are many.
Pair pair_of(const CountedBits& bits, double tail, bool swapped);

}  // namespace muster::reference
