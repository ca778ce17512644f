// Discrete laws sampled exactly, from uniform integers alone: no floating-point number takes part.
//
// Geometric and Bernoulli(e^-x) after Canonne, Kamath and Steinke, "The discrete Gaussian for differential
// privacy" (2020), Algorithms 1 and 2; the binomial compares n coins with their probability bit by bit, n
// halved each time. Thread-safe; a BitSource belongs to one thread.
#pragma once

#include <cstdint>

#include "muster/random/bit_source.h"
#include "muster/random/samplers.h"

namespace muster::random {

// True with probability e^(-numerator/denominator). numerator <= denominator, 1 <= denominator <= 2^40, else
// Error(internal).
bool bernoulli_exp(BitSource& bits, std::uint64_t numerator, std::uint64_t denominator);

// G = 0, 1, 2, ... with P(G >= g) = e^(-g/scale). 1 <= scale <= 2^40, else Error(internal).
std::uint64_t geometric(BitSource& bits, std::uint64_t scale);

// How many of n independent coins of probability p fall true. About n/32 words.
std::uint64_t binomial(BitSource& bits, std::uint64_t n, const Probability& p);

}  // namespace muster::random
