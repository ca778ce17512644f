// Holds a labelled data set in memory: images as bytes, or rows of features as floats.
//
// Images are kept as bytes (MNIST's 70,000 take 55 MB). When an example is read, it is normalised into the
// caller's buffer with public constants (data/normalise.h). A data set may be shared between threads while
// nobody changes it; a buffer belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "muster/learning/client_function.h"
#include "muster/learning/data/normalise.h"
#include "muster/learning/shape.h"

namespace muster::learning {

// The image size and the number of classes of MNIST, of the built-in digits and of Architecture::cnn.
inline constexpr std::size_t kImageSide = 28;
inline constexpr std::size_t kImagePixels = kImageSide * kImageSide;
inline constexpr std::size_t kClasses = 10;

// The largest number of examples in an idx or CSV file; a file with more is refused.
inline constexpr std::size_t kMaxExamples = 1'000'000;

// There are at most 256 classes, because a label is one byte.
inline constexpr std::size_t kMaxClasses = 256;

struct Dataset {
  Shape shape{kImageSide, kImageSide, 1};
  std::size_t classes = kClasses;
  std::vector<std::string> class_names;  // the name of each class if the labels were text; otherwise empty
  Normalisation normalisation{kMnist};   // how `bytes` become inputs
  // Either `bytes` or `values` holds size() * shape.size() inputs as [y][x][channel]; the other is empty.
  std::vector<std::uint8_t> bytes;
  std::vector<float> values;
  std::vector<std::uint8_t> labels;  // one per example, each below `classes`
  // The owner of each example, as a number. Owners are numbered from 0 in the order in which their first
  // examples appear. Empty if the data set does not name owners.
  std::vector<std::uint32_t> owners;

  std::size_t size() const { return labels.size(); }
  // Returns example i. The inputs of an image are normalised into `buffer`, which needs room for shape.size()
  // floats. The inputs of a row are a span of `values`, and `buffer` is not used.
  Example example(std::size_t i, std::span<float> buffer) const {
    const std::size_t inputs = shape.size();
    if (!values.empty()) return {std::span<const float>(values).subspan(i * inputs, inputs), labels[i]};
    normalisation.apply(std::span<const std::uint8_t>(bytes).subspan(i * inputs, inputs), buffer);
    return {buffer.first(inputs), labels[i]};
  }
};

struct DataSplit {
  Dataset train;
  Dataset test;
};

}  // namespace muster::learning
