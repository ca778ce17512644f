// Evaluates the named tensors by a plain loop that follows PyTorch's documentation, and compares the logits
// with those of the network.
#include "muster/learning/models/named_tensors.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "muster/core/error.h"
#include "muster/learning/gradients/network.h"
#include "muster/learning/models/architecture.h"

namespace muster::learning {
namespace {

using ::testing::ElementsAre;

std::vector<float> random_parameters(const std::vector<Layer>& layers) {
  std::mt19937 bits(3);
  std::normal_distribution<float> normal(0, 0.3F);
  std::vector<float> parameters(parameter_count(layers));
  std::ranges::generate(parameters, [&] { return normal(bits); });
  return parameters;
}

// A feature map as PyTorch holds it, [channel][y][x].
struct Map {
  std::size_t channels, height, width;
  std::vector<double> values;
  double at(std::size_t c, std::ptrdiff_t y, std::ptrdiff_t x) const {
    const auto h = static_cast<std::ptrdiff_t>(height), w = static_cast<std::ptrdiff_t>(width);
    return y < 0 || x < 0 || y >= h || x >= w
               ? 0
               : values[(c * height + static_cast<std::size_t>(y)) * width + static_cast<std::size_t>(x)];
  }
};

// Computes what torch.nn.functional computes with these tensors, according to its documentation. This
// function shares no code with the engines, which hold [y][x][channel] and multiply matrices.
std::vector<double> as_pytorch_would(const std::vector<Layer>& layers,
                                     const std::vector<NamedTensor>& tensors, Map map) {
  auto next = tensors.begin();
  for (const Layer& layer : layers) {
    Map out{layer.out.channels, layer.out.height, layer.out.width, {}};
    const std::vector<float>*weight = nullptr, *bias = nullptr;
    if (layer.weights > 0) {
      weight = &(next++)->values;
      bias = &(next++)->values;
    }
    for (std::size_t c = 0; c < out.channels; ++c) {
      for (std::size_t i = 0; i < out.height * out.width; ++i) {
        const auto top = static_cast<std::ptrdiff_t>(i / out.width * layer.stride) -
                         static_cast<std::ptrdiff_t>(layer.pad);
        const auto left = static_cast<std::ptrdiff_t>(i % out.width * layer.stride) -
                          static_cast<std::ptrdiff_t>(layer.pad);
        double value = 0;
        if (layer.kind == LayerKind::relu) value = std::max(0.0, map.values[c * out.height * out.width + i]);
        if (layer.kind == LayerKind::tanh) value = std::tanh(map.values[c * out.height * out.width + i]);
        if (layer.kind == LayerKind::dense) {
          value = static_cast<double>((*bias)[c]);
          for (std::size_t j = 0; j < map.values.size(); ++j) {
            value += static_cast<double>((*weight)[c * map.values.size() + j]) * map.values[j];
          }
        }
        if (layer.kind == LayerKind::max_pool) value = -HUGE_VAL;
        if (layer.kind == LayerKind::convolution) value = static_cast<double>((*bias)[c]);
        if (layer.kind == LayerKind::convolution || layer.kind == LayerKind::max_pool) {
          for (std::size_t w = 0; w < layer.kernel * layer.kernel; ++w) {
            const std::ptrdiff_t y = top + static_cast<std::ptrdiff_t>(w / layer.kernel),
                                 x = left + static_cast<std::ptrdiff_t>(w % layer.kernel);
            if (layer.kind == LayerKind::max_pool) {
              value = std::max(value, map.at(c, y, x));
              continue;
            }
            for (std::size_t in = 0; in < map.channels; ++in) {
              const std::size_t place = ((c * map.channels + in) * layer.kernel * layer.kernel) + w;
              value += static_cast<double>((*weight)[place]) * map.at(in, y, x);
            }
          }
        }
        out.values.push_back(value);
      }
    }
    map = std::move(out);
  }
  return map.values;
}

class NamedTensors : public ::testing::TestWithParam<Architecture> {};

TEST_P(NamedTensors, GiveTheLogitsOfTheFlatParameters) {
  const std::vector<Layer> list = layers(GetParam());
  const std::vector<float> parameters = random_parameters(list);
  const Shape shape = list.front().in;
  std::vector<float> inputs(shape.size());
  std::mt19937 bits(4);
  std::normal_distribution<float> normal;
  std::ranges::generate(inputs, [&] { return normal(bits); });
  Map map{shape.channels, shape.height, shape.width, std::vector<double>(shape.size())};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    map.values[i % shape.channels * (shape.size() / shape.channels) + i / shape.channels] =
        static_cast<double>(inputs[i]);
  }
  const Network<float> network(list);
  Activations<float> room = network.make_activations();
  const std::span<const float> expected = network.logits(parameters, inputs, room);
  const std::vector<double> got = as_pytorch_would(list, named_tensors(list, parameters), map);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], static_cast<double>(expected[i]), 1e-4);
}

TEST_P(NamedTensors, AreReadBack) {
  const std::vector<Layer> list = layers(GetParam());
  const std::vector<float> parameters = random_parameters(list);
  EXPECT_EQ(flat_parameters(list, named_tensors(list, parameters, "features."), "features."), parameters);
}

INSTANTIATE_TEST_SUITE_P(
    Architectures, NamedTensors,
    ::testing::Values(Architecture::cnn, Architecture::logistic, Architecture::mlp,
                      Architecture{ArchitectureKind::cnn, {32, 32, 3}, 10, ActivationFunction::tanh}));

TEST(NamedTensorsOfTheCnn, HavePyTorchsNamesAndShapes) {
  const std::vector<Layer> list = layers(Architecture::cnn);
  std::vector<std::string> names;
  for (const NamedTensor& tensor : named_tensors(list, random_parameters(list))) names.push_back(tensor.name);
  EXPECT_THAT(names, ElementsAre("conv1.weight", "conv1.bias", "conv2.weight", "conv2.bias", "fc1.weight",
                                 "fc1.bias", "fc2.weight", "fc2.bias"));
  const std::vector<NamedTensor> tensors = named_tensors(list, random_parameters(list));
  EXPECT_THAT(tensors[0].shape, ElementsAre(16, 1, 8, 8));
  EXPECT_THAT(tensors[2].shape, ElementsAre(32, 16, 4, 4));
  EXPECT_THAT(tensors[4].shape, ElementsAre(32, 512));
  EXPECT_THAT(tensors[6].shape, ElementsAre(10, 32));
}

TEST(NamedTensorsOfTheCnn, ThatAreMissingOrOfAnotherShapeAreNamed) {
  const std::vector<Layer> list = layers(Architecture::logistic);
  std::vector<NamedTensor> tensors = named_tensors(list, random_parameters(list));
  const auto key_of_refusal = [&] {
    try {
      flat_parameters(list, tensors);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::data);
      return error.key();
    }
    return std::string("nothing was refused");
  };
  tensors[1].shape = {11};
  EXPECT_EQ(key_of_refusal(), "fc1.bias");
  tensors.erase(tensors.begin());
  EXPECT_EQ(key_of_refusal(), "fc1.weight");
}

}  // namespace
}  // namespace muster::learning
