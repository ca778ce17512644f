// How far rounding the weights of a law can move the mean of a sum of its copies. Pure function.
#pragma once

#include <cmath>

#include "muster/numerics/slack.h"

namespace muster::numerics {

// A factor >= 1 that covers a relative error of 4e-16 in each weight, over the `expected` number of terms
// away from zero and ten deviations more.
inline double weight_error(double expected) {
  return 1 + kEightRoundings * (expected + 10 * std::sqrt(expected) + 64);
}

}  // namespace muster::numerics
