// Defines the models as data: the layers of each model, for inputs of any shape and any number of classes.
//
//     cnn       the network of Girgis et al. (2021) and its successors: a convolution to 16 channels (8x8,
//               stride 2, padding 3), max-pooling (2x2, stride 1), a convolution to 32 channels (4x4,
//               stride 2), max-pooling (2x2, stride 1), a dense layer of 32 units and one to the classes;
//               an activation after both convolutions and the 32 units; 26,010 parameters for MNIST
//     logistic  one dense layer: 7,850 parameters for MNIST
//     mlp       dense 128, activation, dense to the classes: 101,770 parameters for MNIST
//
// All functions are pure and thread-safe.
#pragma once

#include <cstddef>
#include <vector>

#include "muster/learning/dataset.h"
#include "muster/learning/models/layers.h"
#include "muster/random/keyed_stream.h"

namespace muster::learning {

enum class ArchitectureKind { cnn, logistic, mlp };

inline constexpr std::size_t kHiddenUnits = 128;  // units of mlp's hidden layer
// The smallest image side for which the cnn's last pooling window still fits.
inline constexpr std::size_t kMinCnnSide = 14;

struct Architecture {
  ArchitectureKind kind = ArchitectureKind::cnn;
  Shape input{kImageSide, kImageSide, 1};
  std::size_t classes = kClasses;
  // Leave the default for `logistic`, which has no activation.
  ActivationFunction activation = ActivationFunction::relu;
  bool operator==(const Architecture&) const = default;

  // The models for inputs of MNIST's shape. The fused kernels implement `cnn`.
  static const Architecture cnn;
  static const Architecture logistic;
  static const Architecture mlp;
};
inline constexpr Architecture Architecture::cnn{ArchitectureKind::cnn};
inline constexpr Architecture Architecture::logistic{ArchitectureKind::logistic};
inline constexpr Architecture Architecture::mlp{ArchitectureKind::mlp};

// Returns the name as plans write it: "cnn", "logistic" or "mlp".
const char* name_of(ArchitectureKind kind);

// Returns the layers from the input to the logits. Throws Error(plan) for a cnn if a side of the input is
// below kMinCnnSide, for example for rows of features.
std::vector<Layer> layers(const Architecture& architecture);

std::size_t parameter_count(const Architecture& architecture);

// The initial weights of a layer have the variance kInitialGain^2 / fan_in, where fan_in is the number of
// inputs of one output of the layer. The gain 1 is that of LeCun et al. (1998). The gain sqrt(2) would
// preserve the variance through ReLU, but models with noise on every message learn faster from the gain 1.
inline constexpr double kInitialGain = 1;

// Draws the initial parameters. Weights are uniform on [-b, b) with b = kInitialGain sqrt(3 / fan_in), and
// biases are zero. Weight number w of the model (layers in order) is b (2 u - 1), where u is the top 24 bits
// of word w of the stream at `address`, divided by 2^24. Equal keys give equal bits.
std::vector<float> initial_parameters(const Architecture& architecture, const random::RunKey& key,
                                      const random::StreamAddress& address = {random::Purpose::initialize});

}  // namespace muster::learning
