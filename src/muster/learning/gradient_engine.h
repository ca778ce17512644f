// Declares the interface through which the training loop computes per-example gradients of a model.
//
// Two engines implement it. The reference engine uses Eigen's matrices, supports any architecture, and is
// checked against finite differences. The fused engine uses Highway's vectors, supports only
// Architecture::cnn, and is checked against the reference. Parameters are one flat float vector, whose layout
// the architecture determines (models/layers.h). An engine is immutable and may be shared between threads;
// each thread needs its own Workspace (client_function.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "muster/learning/client_function.h"
#include "muster/learning/gradients/softmax.h"

namespace muster::learning {

class GradientEngine : public ClientFunction {
 public:
  // Overwrites `gradient` (dimension() floats, one per parameter) with d loss / d parameters for one
  // example. Returns the cross-entropy loss in nats.
  virtual float gradient(std::span<const float> parameters, const Example& example, Workspace& workspace,
                         std::span<float> gradient) const = 0;

  // Returns the outputs of the last layer, one per class. They stay in the workspace until its next use.
  virtual std::span<const float> logits(std::span<const float> parameters, std::span<const float> inputs,
                                        Workspace& workspace) const = 0;

  // Returns the class with the largest logit (the lowest index on a tie).
  std::uint8_t predict(std::span<const float> parameters, std::span<const float> inputs,
                       Workspace& workspace) const {
    return largest_class(logits(parameters, inputs, workspace));
  }

  // features() returns the inputs of the last layer, feature_count() floats. They stay in the workspace
  // until its next use.
  virtual std::size_t feature_count() const = 0;
  virtual std::span<const float> features(std::span<const float> parameters, std::span<const float> inputs,
                                          Workspace& workspace) const = 0;

  // Computes the gradient and drops the loss: printing the loss would release private data that the
  // accountant has not charged.
  void evaluate(std::span<const float> parameters, const Example& example, Workspace& workspace,
                std::span<float> out) const final {
    gradient(parameters, example, workspace, out);
  }
};

}  // namespace muster::learning
