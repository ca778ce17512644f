// A labelled image data set in memory, already normalised for the models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "muster/learning/gradient_engine.h"

namespace muster::learning {

inline constexpr std::size_t kImageSide = 28;
inline constexpr std::size_t kImagePixels = kImageSide * kImageSide;
inline constexpr std::size_t kClasses = 10;

struct Dataset {
  std::vector<float> pixels;  // size() x 784, normalised by public constants: (byte/255 - 0.1307) / 0.3081
  std::vector<std::uint8_t> labels;  // size(), each 0..9

  std::size_t size() const { return labels.size(); }
  Example example(std::size_t i) const {
    return {std::span<const float>(pixels).subspan(i * kImagePixels, kImagePixels), labels[i]};
  }
};

struct DataSplit {
  Dataset train;
  Dataset test;
};

}  // namespace muster::learning
