// By how much rounding the weights of a law can change an expectation over a sum of copies of the law. Pure
// function; call from any thread.
#pragma once

#include <cmath>

#include "muster/numerics/slack.h"

namespace muster::numerics {

// A factor >= 1 that covers five roundings (slack.h) in the weight of each term away from zero, where the
// number of these terms has the mean `expected` <= 1e12.
//
// Let d = 5 * 2^-53 and m = `expected`. Rounding multiplies the probability of a sum with N such terms by at
// most e^{d N}, and the factor 1 + x, x = 1e-15 (m + 10 sqrt(m) + 64), covers this for N <= log(1 + x) / d,
// which is at least 1.8 (m + 10 sqrt(m) + 64). For independent terms, Chernoff's exponent m - N + N log(N/m)
// says that N is larger with a probability below e^-340, whatever m is; the worst m is 41. No delta as small
// as that is asked for.
//
// The factor also serves weights that are wrong by six, seven or eight roundings: it then covers N with
// probability 1 - e^-246, 1 - e^-175 or 1 - e^-119 (at the worst m: 66, 119 or 292). Where N is larger, the
// factor lacks at most the relative e^{8 * 2^-53 N} - 1, which is about 1e-15 N; so all that it lacks is
// about e^-119 * 1e-12 = 1e-64 times the largest value of the expectation's argument, far below the other
// slack of a bound. Nine roundings would need a larger factor: at large m, N would exceed the mean by little.
inline double weight_error(double expected) {
  return 1 + kEightRoundings * (expected + 10 * std::sqrt(expected) + 64);
}

}  // namespace muster::numerics
