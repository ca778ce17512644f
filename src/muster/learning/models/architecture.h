// The models, as data: which layers, their shapes, and where each layer's parameters lie in the flat vector.
//
// Activations are rows of channels, [y][x][channel]. A layer with parameters holds its weights, then its
// biases:
//     convolution  weights [ky][kx][in channel][out channel], biases [out channel]
//     dense        weights [in][out], biases [out]; `in` runs over [y][x][channel] of the layer before
// and the layers follow each other in the order of layers(). cnn is the network of Girgis et al. (2021) and
// its successors: conv 16 8x8 stride 2 pad 3, max-pool 2 stride 1, conv 32 4x4 stride 2, max-pool 2 stride 1,
// dense 32, dense 10, ReLU after both convolutions and the first dense layer: 26,010 parameters. logistic is
// one dense layer: 7,850 parameters. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "muster/learning/shape.h"
#include "muster/random/keyed_stream.h"

namespace muster::learning {

enum class Architecture { cnn, logistic };

// "cnn" or "logistic", as a plan writes it.
const char* name_of(Architecture architecture);

enum class LayerKind { convolution, max_pool, relu, dense };

struct Layer {
  LayerKind kind;
  Shape in;
  Shape out;
  std::size_t kernel = 1;  // side of the window (convolution, max_pool)
  std::size_t stride = 1;
  std::size_t pad = 0;
  std::size_t weights_at = 0;  // offset of the weights in the flat vector
  std::size_t weights = 0;     // how many; zero for a layer without parameters
  std::size_t biases_at = 0;
  std::size_t biases = 0;

  // Inputs that one output value sees.
  std::size_t fan_in() const { return biases == 0 ? 0 : weights / biases; }
};

std::vector<Layer> layers(Architecture architecture);

std::size_t parameter_count(Architecture architecture);

// Weights uniform on [-b, b), b = kInitialGain sqrt(3 / fan_in), so that their variance is kInitialGain^2 /
// fan_in; biases zero. Weight number w of the model (layers in order) is b (2 u - 1) with u the top 24 bits
// of word w of the stream (initialize, round 0, client 0) divided by 2^24: equal keys give equal bits.
// LeCun et al. (1998): gain 1. Under noise on every message it learns faster than sqrt(2), which keeps the
// variance through ReLU.
inline constexpr double kInitialGain = 1;
std::vector<float> initial_parameters(Architecture architecture, const random::RunKey& key);

}  // namespace muster::learning
