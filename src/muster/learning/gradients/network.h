// Computes the loss and the per-example gradient of a stack of layers (the reference network), by im2col and
// matrix products.
//
// Network is a template over the scalar type, so that finite differences can check it in double precision. A
// max-pool window passes its gradient to the first position, in [y][x] order, that holds the maximum. ReLU
// passes no gradient unless its input is positive. A Network is immutable and may be shared between threads;
// an Activations belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "muster/learning/models/layers.h"

namespace muster::learning {

// What a forward pass keeps for the backward pass, and what the backward pass computes. Below, [l] stands for
// the entry of layer l.
template <typename Scalar>
struct Activations {
  std::vector<std::vector<Scalar>> values;  // [l]: the input of layer l; the last entry holds the logits
  // [l]: the im2col matrix of layer l, [position][ky][kx][channel]; empty unless it is a convolution.
  std::vector<std::vector<Scalar>> columns;
  std::vector<std::vector<Scalar>> slopes;  // [l]: d loss / d values[l]
  std::vector<Scalar> column_slopes;        // d loss / d columns[l] of one convolution at a time
};

template <typename Scalar>
class Network {
 public:
  explicit Network(std::vector<Layer> layers);

  std::size_t parameter_count() const { return parameter_count_; }
  Activations<Scalar> make_activations() const;

  // Returns the logits of one example. They stay in `room` until the next call, and so do the inputs of every
  // layer.
  std::span<const Scalar> logits(std::span<const Scalar> parameters, std::span<const Scalar> inputs,
                                 Activations<Scalar>& room) const;

  // features() returns the inputs of the last layer, which are the features that the network has learned.
  // Call it after logits() with the same `room`.
  std::size_t feature_count() const { return layers_.back().in.size(); }
  std::span<const Scalar> features(const Activations<Scalar>& room) const {
    return room.values[layers_.size() - 1];
  }

  // Returns the cross-entropy in nats of the softmax of the logits, and overwrites `gradient` with its
  // derivative with respect to the parameters.
  Scalar gradient(std::span<const Scalar> parameters, std::span<const Scalar> inputs, std::uint8_t label,
                  Activations<Scalar>& room, std::span<Scalar> gradient) const;

 private:
  std::vector<Layer> layers_;
  std::size_t parameter_count_;
};

extern template class Network<float>;
extern template class Network<double>;

}  // namespace muster::learning
