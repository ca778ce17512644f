// From a pixel byte to a model input, by constants that are public and not computed from the data at hand:
// the mean 0.1307 and standard deviation 0.3081 of MNIST's training pixels, as the literature has used them
// for decades.
#pragma once

#include <cstdint>

namespace muster::learning {

inline float normalised_pixel(std::uint8_t byte) {
  return static_cast<float>((static_cast<double>(byte) / 255.0 - 0.1307) / 0.3081);
}

}  // namespace muster::learning
