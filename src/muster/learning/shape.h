// Describes the shape of an image or of the activations of a layer, which are stored as [y][x][channel]. A
// row of n features has the shape {1, 1, n}. A Shape is a plain value. Its functions are pure and may be
// called from any thread.
#pragma once

#include <cstddef>

namespace muster::learning {

struct Shape {
  std::size_t height = 1;
  std::size_t width = 1;
  std::size_t channels = 1;
  constexpr std::size_t positions() const { return height * width; }
  constexpr std::size_t size() const { return height * width * channels; }
  bool operator==(const Shape&) const = default;
};

}  // namespace muster::learning
