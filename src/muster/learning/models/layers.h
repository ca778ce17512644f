// Describes the layers of a network: their shapes, and the places of their parameters in the flat vector.
//
// Activations are [y][x][channel]. A layer with parameters holds its weights, then its biases:
//     convolution  weights [ky][kx][in channel][out channel], biases [out channel]
//     dense        weights [in][out], biases [out]; `in` runs over [y][x][channel] of the layer before
// In the flat vector, the layers follow each other without gaps. Layers are plain values.
//
// Example:
//     std::vector<Layer> layers = LayerStack({28, 28, 1}).convolution(16, 8, 2, 3).dense(10).done();
//
// A LayerStack belongs to one thread; threads may share the finished layers while nobody changes them.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "muster/learning/shape.h"

namespace muster::learning {

enum class LayerKind { convolution, max_pool, relu, tanh, dense };

// The element-wise function after a layer with parameters.
enum class ActivationFunction { relu, tanh };

struct Layer {
  LayerKind kind;
  Shape in;
  Shape out;
  std::size_t kernel = 1;  // side of the window (convolution, max_pool)
  std::size_t stride = 1;
  std::size_t pad = 0;
  std::size_t weights_at = 0;  // offset of the weights in the flat vector
  std::size_t weights = 0;     // number of weights; zero for a layer without parameters
  std::size_t biases_at = 0;
  std::size_t biases = 0;

  // Returns the number of inputs that one output value depends on; 0 for a layer without parameters.
  std::size_t fan_in() const { return biases == 0 ? 0 : weights / biases; }
};

// Appends layers, each of which takes the output of the layer before. Throws Error(internal) for an input or
// a layer without values, and for a window that does not fit into its padded input: the caller must check
// its arguments.
class LayerStack {
 public:
  explicit LayerStack(Shape input);
  LayerStack& convolution(std::size_t channels, std::size_t kernel, std::size_t stride, std::size_t pad);
  LayerStack& max_pool(std::size_t kernel, std::size_t stride);
  LayerStack& activation(ActivationFunction activation);
  LayerStack& dense(std::size_t outputs);
  std::vector<Layer> done() { return std::move(layers_); }

 private:
  Shape window(std::size_t kernel, std::size_t stride, std::size_t pad, std::size_t channels) const;
  LayerStack& add(LayerKind kind, Shape out, std::size_t kernel, std::size_t stride, std::size_t pad,
                  std::size_t weights, std::size_t biases);

  Shape shape_;
  std::size_t next_ = 0;
  std::vector<Layer> layers_;
};

// Returns the number of weights and biases of all layers together.
std::size_t parameter_count(const std::vector<Layer>& layers);

}  // namespace muster::learning
