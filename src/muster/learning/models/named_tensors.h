// Converts the parameters of a network to named tensors in PyTorch's layout, and back.
//
// The tensors have the names that a torch.nn.Module gives them if its layers with parameters are called
// conv1, conv2, ... and fc1, fc2, ... in their order. Each of these layers has a weight and a bias:
//     convolution  conv.weight [out channel][in channel][ky][kx], conv.bias [out channel]
//     dense        fc.weight [out][in], fc.bias [out]
// PyTorch flattens a feature map as [channel][y][x], whereas the layers of layers.h flatten it as
// [y][x][channel]; the columns of the dense layers are permuted accordingly. All functions are pure and
// thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "muster/learning/models/layers.h"

namespace muster::learning {

struct NamedTensor {
  std::string name;
  std::vector<std::size_t> shape;  // the sizes, that of the slowest index first
  std::vector<float> values;       // as many values as the product of `shape`
  bool operator==(const NamedTensor&) const = default;
};

// `parameters` is the flat vector of the layers. `prefix` is put before each name, for example "features.".
std::vector<NamedTensor> named_tensors(const std::vector<Layer>& layers, std::span<const float> parameters,
                                       const std::string& prefix = "");

// Builds the flat parameters of the layers from the tensors of these names; other tensors are ignored. Throws
// Error(data) for a tensor that is missing or has another shape.
std::vector<float> flat_parameters(const std::vector<Layer>& layers, const std::vector<NamedTensor>& tensors,
                                   const std::string& prefix = "");

}  // namespace muster::learning
