// Provides exact samplers of discrete laws, which use uniform integers and no floating-point numbers.
//
// Geometric and Bernoulli(e^-x) follow Canonne, Kamath and Steinke, "The discrete Gaussian for differential
// privacy" (NeurIPS 2020, arXiv:2004.00010v4), Algorithms 1 and 2. The binomial compares n uniform numbers
// with the probability bit by bit; each bit decides about half of the undecided numbers. The functions are
// thread-safe, but a BitSource belongs to one thread.
#pragma once

#include <cstdint>

#include "muster/random/bit_source.h"
#include "muster/random/samplers.h"

namespace muster::random {

// Returns true with probability e^(-numerator/denominator). Throws Error(internal) unless numerator <=
// denominator and 1 <= denominator <= 2^40.
bool bernoulli_exp(BitSource& bits, std::uint64_t numerator, std::uint64_t denominator);

// Returns G = 0, 1, 2, ... with P(G >= g) = e^(-g/scale). Throws Error(internal) unless 1 <= scale <= 2^40.
std::uint64_t geometric(BitSource& bits, std::uint64_t scale);

// Returns the number of successes in n independent trials of probability p. Uses about n/32 words.
std::uint64_t binomial(BitSource& bits, std::uint64_t n, const Probability& p);

}  // namespace muster::random
