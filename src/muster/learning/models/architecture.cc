#include "muster/learning/models/architecture.h"

#include <cmath>

#include "muster/core/error.h"
#include "muster/learning/dataset.h"

namespace muster::learning {
namespace {

// Appends layers, each fed by the one before, and hands out parameter offsets.
class Stack {
 public:
  explicit Stack(Shape input) : shape_(input) {}

  Stack& convolution(std::size_t channels, std::size_t kernel, std::size_t stride, std::size_t pad) {
    const Shape out{(shape_.height + 2 * pad - kernel) / stride + 1,
                    (shape_.width + 2 * pad - kernel) / stride + 1, channels};
    return add(LayerKind::convolution, out, kernel, stride, pad, kernel * kernel * shape_.channels * channels,
               channels);
  }
  Stack& max_pool(std::size_t kernel, std::size_t stride) {
    const Shape out{(shape_.height - kernel) / stride + 1, (shape_.width - kernel) / stride + 1,
                    shape_.channels};
    return add(LayerKind::max_pool, out, kernel, stride, 0, 0, 0);
  }
  Stack& relu() { return add(LayerKind::relu, shape_, 1, 1, 0, 0, 0); }
  Stack& dense(std::size_t outputs) {
    return add(LayerKind::dense, {1, 1, outputs}, 1, 1, 0, shape_.size() * outputs, outputs);
  }
  std::vector<Layer> done() { return std::move(layers_); }

 private:
  Stack& add(LayerKind kind, Shape out, std::size_t kernel, std::size_t stride, std::size_t pad,
             std::size_t weights, std::size_t biases) {
    layers_.push_back({kind, shape_, out, kernel, stride, pad, next_, weights, next_ + weights, biases});
    next_ += weights + biases;
    shape_ = out;
    return *this;
  }

  Shape shape_;
  std::size_t next_ = 0;
  std::vector<Layer> layers_;
};

constexpr Shape kImage{kImageSide, kImageSide, 1};

}  // namespace

const char* name_of(Architecture architecture) {
  switch (architecture) {
    case Architecture::cnn:
      return "cnn";
    case Architecture::logistic:
      return "logistic";
  }
  throw Error(ErrorCode::internal, "architecture", std::to_string(static_cast<int>(architecture)), "",
              "not an architecture");
}

std::vector<Layer> layers(Architecture architecture) {
  switch (architecture) {
    case Architecture::cnn:
      return Stack(kImage)
          .convolution(16, 8, 2, 3)
          .relu()
          .max_pool(2, 1)
          .convolution(32, 4, 2, 0)
          .relu()
          .max_pool(2, 1)
          .dense(32)
          .relu()
          .dense(kClasses)
          .done();
    case Architecture::logistic:
      return Stack(kImage).dense(kClasses).done();
  }
  throw Error(ErrorCode::internal, "architecture", std::to_string(static_cast<int>(architecture)), "",
              "not an architecture");
}

std::size_t parameter_count(Architecture architecture) {
  std::size_t count = 0;
  for (const Layer& layer : layers(architecture)) count += layer.weights + layer.biases;
  return count;
}

std::vector<float> initial_parameters(Architecture architecture, const random::RunKey& key) {
  random::KeyedStream words(key, {random::Purpose::initialize});
  std::vector<float> parameters(parameter_count(architecture), 0.0F);
  for (const Layer& layer : layers(architecture)) {
    if (layer.weights == 0) continue;
    const double bound = kInitialGain * std::sqrt(3.0 / static_cast<double>(layer.fan_in()));
    for (std::size_t w = 0; w < layer.weights; ++w) {
      const double unit = static_cast<double>(words.next_u64() >> 40) * 0x1p-24;
      parameters[layer.weights_at + w] = static_cast<float>(bound * (2.0 * unit - 1.0));
    }
  }
  return parameters;
}

}  // namespace muster::learning
