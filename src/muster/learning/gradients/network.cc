#include "muster/learning/gradients/network.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

#include "muster/learning/gradients/softmax.h"

namespace muster::learning {
namespace {

template <typename Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <typename Scalar>
using Row = Eigen::Matrix<Scalar, 1, Eigen::Dynamic>;

template <typename Scalar>
Eigen::Map<const Matrix<Scalar>> view(const Scalar* data, std::size_t rows, std::size_t columns) {
  return {data, static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns)};
}
template <typename Scalar>
Eigen::Map<Matrix<Scalar>> view(Scalar* data, std::size_t rows, std::size_t columns) {
  return {data, static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns)};
}

// Calls visit(i, j, channels) for each window position and each tap inside the image, where i is the index of
// the tap's first channel in the im2col matrix (network.h), and j its index in the layer's input. Taps in the
// padding are skipped.
template <typename Visit>
void for_each_tap(const Layer& layer, Visit visit) {
  const std::size_t channels = layer.in.channels;
  std::size_t entry = 0;
  for (std::size_t y = 0; y < layer.out.height; ++y) {
    for (std::size_t x = 0; x < layer.out.width; ++x) {
      for (std::size_t ky = 0; ky < layer.kernel; ++ky) {
        for (std::size_t kx = 0; kx < layer.kernel; ++kx, entry += channels) {
          const std::size_t row = y * layer.stride + ky;
          const std::size_t column = x * layer.stride + kx;
          if (row < layer.pad || row >= layer.in.height + layer.pad) continue;
          if (column < layer.pad || column >= layer.in.width + layer.pad) continue;
          visit(entry, ((row - layer.pad) * layer.in.width + column - layer.pad) * channels, channels);
        }
      }
    }
  }
}

// Calls visit(i, j) for each max-pool window and channel, where i is the index of the output, and j the
// index of the input that is the maximum.
template <typename Scalar, typename Visit>
void for_each_maximum(const Layer& layer, const std::vector<Scalar>& in, Visit visit) {
  const std::size_t channels = layer.in.channels;
  for (std::size_t y = 0; y < layer.out.height; ++y) {
    for (std::size_t x = 0; x < layer.out.width; ++x) {
      for (std::size_t c = 0; c < channels; ++c) {
        std::size_t best = ((y * layer.stride) * layer.in.width + x * layer.stride) * channels + c;
        for (std::size_t ky = 0; ky < layer.kernel; ++ky) {
          for (std::size_t kx = 0; kx < layer.kernel; ++kx) {
            const std::size_t here =
                ((y * layer.stride + ky) * layer.in.width + x * layer.stride + kx) * channels + c;
            if (in[here] > in[best]) best = here;
          }
        }
        visit((y * layer.out.width + x) * channels + c, best);
      }
    }
  }
}

// Computes out = in W + b with the layer's weights W and biases b, where `in` has one row per output
// position.
template <typename Scalar>
void forward_product(const Layer& layer, const Scalar* parameters, const Scalar* in, Scalar* out) {
  const std::size_t positions = layer.out.positions();
  auto result = view(out, positions, layer.biases);
  result.noalias() =
      view(in, positions, layer.fan_in()) * view(parameters + layer.weights_at, layer.fan_in(), layer.biases);
  result.rowwise() +=
      Eigen::Map<const Row<Scalar>>(parameters + layer.biases_at, static_cast<Eigen::Index>(layer.biases));
}

// Computes the gradients of the loss with respect to the W and b of forward_product() and, if in_slope is not
// null, with respect to `in`.
template <typename Scalar>
void backward_product(const Layer& layer, const Scalar* parameters, const Scalar* in, const Scalar* out_slope,
                      Scalar* gradient, Scalar* in_slope) {
  const std::size_t positions = layer.out.positions();
  const auto slope = view(out_slope, positions, layer.biases);
  view(gradient + layer.weights_at, layer.fan_in(), layer.biases).noalias() =
      view(in, positions, layer.fan_in()).transpose() * slope;
  // Eigen sums a column in an order that depends on the alignment of the result. So the sums go to an aligned
  // row first, and the alignment of the caller's gradient makes no difference.
  const Row<Scalar> sums = slope.colwise().sum();
  view(gradient + layer.biases_at, 1, layer.biases) = sums;
  if (in_slope == nullptr) return;
  view(in_slope, positions, layer.fan_in()).noalias() =
      slope * view(parameters + layer.weights_at, layer.fan_in(), layer.biases).transpose();
}

}  // namespace

template <typename Scalar>
Network<Scalar>::Network(std::vector<Layer> layers)
    : layers_(std::move(layers)), parameter_count_(learning::parameter_count(layers_)) {}

template <typename Scalar>
Activations<Scalar> Network<Scalar>::make_activations() const {
  Activations<Scalar> room;
  std::size_t largest = 0;
  for (const Layer& layer : layers_) {
    room.values.emplace_back(layer.in.size());
    room.slopes.emplace_back(layer.in.size());
    const bool convolution = layer.kind == LayerKind::convolution;
    room.columns.emplace_back(convolution ? layer.out.positions() * layer.fan_in() : 0, Scalar(0));
    largest = std::max(largest, room.columns.back().size());
  }
  room.values.emplace_back(layers_.back().out.size());
  room.slopes.emplace_back(layers_.back().out.size());
  room.column_slopes.resize(largest);
  return room;
}

template <typename Scalar>
std::span<const Scalar> Network<Scalar>::logits(std::span<const Scalar> parameters,
                                                std::span<const Scalar> inputs,
                                                Activations<Scalar>& room) const {
  std::copy(inputs.begin(), inputs.end(), room.values[0].begin());
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const std::vector<Scalar>& in = room.values[l];
    std::vector<Scalar>& out = room.values[l + 1];
    switch (layer.kind) {
      case LayerKind::convolution: {
        std::vector<Scalar>& columns = room.columns[l];  // taps in the padding stay zero
        for_each_tap(layer, [&](std::size_t entry, std::size_t at, std::size_t channels) {
          std::copy_n(in.data() + at, channels, columns.data() + entry);
        });
        forward_product(layer, parameters.data(), columns.data(), out.data());
        break;
      }
      case LayerKind::dense:
        forward_product(layer, parameters.data(), in.data(), out.data());
        break;
      case LayerKind::relu:
        std::transform(in.begin(), in.end(), out.begin(), [](Scalar v) { return v > 0 ? v : Scalar(0); });
        break;
      case LayerKind::tanh:
        std::transform(in.begin(), in.end(), out.begin(), [](Scalar v) { return std::tanh(v); });
        break;
      case LayerKind::max_pool:
        for_each_maximum(layer, in, [&](std::size_t o, std::size_t best) { out[o] = in[best]; });
        break;
    }
  }
  return room.values.back();
}

template <typename Scalar>
Scalar Network<Scalar>::gradient(std::span<const Scalar> parameters, std::span<const Scalar> inputs,
                                 std::uint8_t label, Activations<Scalar>& room,
                                 std::span<Scalar> gradient) const {
  logits(parameters, inputs, room);
  const Scalar loss = cross_entropy<Scalar>(room.values.back(), label, std::span<Scalar>(room.slopes.back()));
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Layer& layer = layers_[l];
    const std::vector<Scalar>& in = room.values[l];
    const std::vector<Scalar>& out_slope = room.slopes[l + 1];
    std::vector<Scalar>& in_slope = room.slopes[l];
    switch (layer.kind) {
      case LayerKind::convolution:
        backward_product(layer, parameters.data(), room.columns[l].data(), out_slope.data(), gradient.data(),
                         l == 0 ? nullptr : room.column_slopes.data());
        if (l == 0) break;
        std::fill(in_slope.begin(), in_slope.end(), Scalar(0));
        for_each_tap(layer, [&](std::size_t entry, std::size_t at, std::size_t channels) {
          for (std::size_t c = 0; c < channels; ++c) in_slope[at + c] += room.column_slopes[entry + c];
        });
        break;
      case LayerKind::dense:
        backward_product(layer, parameters.data(), in.data(), out_slope.data(), gradient.data(),
                         l == 0 ? nullptr : in_slope.data());
        break;
      case LayerKind::relu:
        for (std::size_t i = 0; i < in.size(); ++i) in_slope[i] = in[i] > 0 ? out_slope[i] : Scalar(0);
        break;
      case LayerKind::tanh: {
        const std::vector<Scalar>& out = room.values[l + 1];
        for (std::size_t i = 0; i < in.size(); ++i) in_slope[i] = out_slope[i] * (1 - out[i] * out[i]);
        break;
      }
      case LayerKind::max_pool:
        std::fill(in_slope.begin(), in_slope.end(), Scalar(0));
        for_each_maximum(layer, in, [&](std::size_t o, std::size_t best) { in_slope[best] += out_slope[o]; });
        break;
    }
  }
  return loss;
}

template class Network<float>;
template class Network<double>;

}  // namespace muster::learning
