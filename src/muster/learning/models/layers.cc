#include "muster/learning/models/layers.h"

#include <algorithm>
#include <string>

#include "muster/core/error.h"

namespace muster::learning {

LayerStack::LayerStack(Shape input) : shape_(input) {
  if (input.size() == 0) throw Error(ErrorCode::internal, "shape", "0", "", "a network without inputs");
}

LayerStack& LayerStack::convolution(std::size_t channels, std::size_t kernel, std::size_t stride,
                                    std::size_t pad) {
  return add(LayerKind::convolution, window(kernel, stride, pad, channels), kernel, stride, pad,
             kernel * kernel * shape_.channels * channels, channels);
}

LayerStack& LayerStack::max_pool(std::size_t kernel, std::size_t stride) {
  return add(LayerKind::max_pool, window(kernel, stride, 0, shape_.channels), kernel, stride, 0, 0, 0);
}

LayerStack& LayerStack::activation(ActivationFunction activation) {
  return add(activation == ActivationFunction::relu ? LayerKind::relu : LayerKind::tanh, shape_, 1, 1, 0, 0,
             0);
}

LayerStack& LayerStack::dense(std::size_t outputs) {
  return add(LayerKind::dense, {1, 1, outputs}, 1, 1, 0, shape_.size() * outputs, outputs);
}

Shape LayerStack::window(std::size_t kernel, std::size_t stride, std::size_t pad,
                         std::size_t channels) const {
  const std::size_t height = shape_.height + 2 * pad;
  const std::size_t width = shape_.width + 2 * pad;
  if (kernel == 0 || stride == 0 || kernel > height || kernel > width) {
    throw Error(ErrorCode::internal, "kernel", std::to_string(kernel),
                "1 to " + std::to_string(std::min(height, width)), "a window that does not fit");
  }
  return {(height - kernel) / stride + 1, (width - kernel) / stride + 1, channels};
}

LayerStack& LayerStack::add(LayerKind kind, Shape out, std::size_t kernel, std::size_t stride,
                            std::size_t pad, std::size_t weights, std::size_t biases) {
  if (out.size() == 0) throw Error(ErrorCode::internal, "shape", "0", "", "a layer without outputs");
  layers_.push_back({kind, shape_, out, kernel, stride, pad, next_, weights, next_ + weights, biases});
  next_ += weights + biases;
  shape_ = out;
  return *this;
}

std::size_t parameter_count(const std::vector<Layer>& layers) {
  std::size_t count = 0;
  for (const Layer& layer : layers) count += layer.weights + layer.biases;
  return count;
}

}  // namespace muster::learning
