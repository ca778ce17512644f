// Argument checks of the randomizers: a vector must have the randomizer's dimension, and a sum must have the
// randomizer's number of entries and step.
//
// The functions are thread-safe, but no other thread may add to a sum while it is checked.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "muster/core/error.h"
#include "muster/randomizers/randomizer.h"

namespace muster::randomizers {

// Throws Error(internal) unless the vector has `dimension` floats.
inline void check_dimension(std::span<const float> vector, std::size_t dimension) {
  if (vector.size() == dimension) return;
  throw Error(ErrorCode::internal, "gradient", std::to_string(vector.size()), std::to_string(dimension),
              "not of the randomizer's dimension");
}

// Throws Error(internal) unless the sum has `size` entries in units of `step`.
inline void check_sum(const MessageSum& sum, std::size_t size, double step) {
  if (sum.size() == size && sum.step() == step) return;
  throw Error(ErrorCode::internal, "message sum", "", "the randomizer's size and step", "does not match");
}

}  // namespace muster::randomizers
