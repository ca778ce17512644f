// How far rounding the weights of a law can move an expectation over a sum of its copies. Pure function.
#pragma once

#include <cmath>

#include "muster/numerics/slack.h"

namespace muster::numerics {

// A factor >= 1 that covers five roundings in the weight of each term away from zero, where the number of
// these terms has the mean `expected` <= 1e12.
//
// Let d = 5 * 2^-53 and m = `expected`. Rounding multiplies the probability of a sum with N such terms by at
// most e^{d N}, and the factor 1 + x, x = 1e-15 (m + 10 sqrt(m) + 64), covers this for N <= log(1 + x) / d,
// which is at least 1.8 (m + 10 sqrt(m) + 64). For independent terms, Chernoff's exponent m - N + N log(N/m)
// says that more than these occur with a probability below e^-340, whatever m is; the worst m is 41. With six
// or seven roundings that probability is e^-240 or e^-170. No delta near these is asked for.
inline double weight_error(double expected) {
  return 1 + kEightRoundings * (expected + 10 * std::sqrt(expected) + 64);
}

}  // namespace muster::numerics
