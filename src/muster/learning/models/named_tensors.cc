#include "muster/learning/models/named_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "muster/core/error.h"

namespace muster::learning {
namespace {

// A layer with parameters, the name prefix of its two tensors, and the shape of its weight tensor.
struct Placed {
  const Layer* layer;
  std::string name;
  std::vector<std::size_t> shape;
  Shape flattened;  // the shape of a dense layer's input, [y][x][channel]
};

std::vector<Placed> placed(const std::vector<Layer>& layers, const std::string& prefix) {
  std::vector<Placed> list;
  std::size_t convolutions = 0, dense = 0;
  for (const Layer& layer : layers) {
    if (layer.kind == LayerKind::convolution) {
      list.push_back({&layer,
                      fmt::format("{}conv{}", prefix, ++convolutions),
                      {layer.out.channels, layer.in.channels, layer.kernel, layer.kernel},
                      {}});
    } else if (layer.kind == LayerKind::dense) {
      list.push_back({&layer,
                      fmt::format("{}fc{}", prefix, ++dense),
                      {layer.biases, layer.weights / layer.biases},
                      layer.in});
    }
  }
  return list;
}

// Calls `pair(flat, tensor)` for every weight, with its index among the layer's weights and its index in the
// tensor.
template <typename Pair>
void for_each_weight(const Placed& at, const Pair& pair) {
  const std::size_t outputs = at.layer->biases;
  if (at.layer->kind == LayerKind::convolution) {
    const std::size_t side = at.layer->kernel, inputs = at.layer->in.channels;
    for (std::size_t window = 0; window < side * side; ++window) {
      for (std::size_t in = 0; in < inputs; ++in) {
        for (std::size_t out = 0; out < outputs; ++out) {
          pair((window * inputs + in) * outputs + out, (out * inputs + in) * side * side + window);
        }
      }
    }
    return;
  }
  const std::size_t channels = at.flattened.channels, positions = at.flattened.size() / channels;
  for (std::size_t position = 0; position < positions; ++position) {
    for (std::size_t channel = 0; channel < channels; ++channel) {
      for (std::size_t out = 0; out < outputs; ++out) {
        pair((position * channels + channel) * outputs + out,
             out * positions * channels + channel * positions + position);
      }
    }
  }
}

const NamedTensor& find(const std::vector<NamedTensor>& tensors, const std::string& name,
                        const std::vector<std::size_t>& shape) {
  const auto found = std::ranges::find(tensors, name, &NamedTensor::name);
  if (found == tensors.end()) throw Error(ErrorCode::data, name, "", "", "is no tensor of this model");
  if (found->shape != shape) {
    throw Error(ErrorCode::data, name, fmt::format("[{}]", fmt::join(found->shape, ", ")),
                fmt::format("[{}]", fmt::join(shape, ", ")), "has another shape than the model's layer");
  }
  return *found;
}

}  // namespace

std::vector<NamedTensor> named_tensors(const std::vector<Layer>& layers, std::span<const float> parameters,
                                       const std::string& prefix) {
  std::vector<NamedTensor> tensors;
  for (const Placed& at : placed(layers, prefix)) {
    const auto weights = parameters.subspan(at.layer->weights_at, at.layer->weights);
    const auto biases = parameters.subspan(at.layer->biases_at, at.layer->biases);
    NamedTensor weight{at.name + ".weight", at.shape, std::vector<float>(weights.size())};
    for_each_weight(at, [&](std::size_t flat, std::size_t tensor) { weight.values[tensor] = weights[flat]; });
    tensors.push_back(std::move(weight));
    tensors.push_back({at.name + ".bias", {biases.size()}, {biases.begin(), biases.end()}});
  }
  return tensors;
}

std::vector<float> flat_parameters(const std::vector<Layer>& layers, const std::vector<NamedTensor>& tensors,
                                   const std::string& prefix) {
  struct Pair {
    Placed at;
    const NamedTensor *weight, *bias;
  };
  // All tensors are looked up before anything is allocated, because the layers that a file claims to have may
  // need any amount of memory.
  std::vector<Pair> pairs;
  for (Placed& at : placed(layers, prefix)) {
    const NamedTensor& weight = find(tensors, at.name + ".weight", at.shape);
    const NamedTensor& bias = find(tensors, at.name + ".bias", {at.layer->biases});
    pairs.push_back({std::move(at), &weight, &bias});
  }
  std::vector<float> parameters(parameter_count(layers));
  for (const auto& [at, weight, bias] : pairs) {
    float* weights = parameters.data() + at.layer->weights_at;
    for_each_weight(at, [&, from = weight](std::size_t flat, std::size_t tensor) {
      weights[flat] = from->values[tensor];
    });
    std::ranges::copy(bias->values, parameters.begin() + static_cast<std::ptrdiff_t>(at.layer->biases_at));
  }
  return parameters;
}

}  // namespace muster::learning
