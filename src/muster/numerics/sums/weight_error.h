// How far rounding the weights of a law can move an expectation over a sum of its copies. Pure function.
#pragma once

#include <cmath>

#include "muster/numerics/slack.h"

namespace muster::numerics {

// A factor >= 1 that covers a relative error of 4e-16 in the weight of each term away from zero, as long as
// the number of these terms exceeds its mean `expected` by at most ten standard deviations.
inline double weight_error(double expected) {
  return 1 + kEightRoundings * (expected + 10 * std::sqrt(expected) + 64);
}

}  // namespace muster::numerics
