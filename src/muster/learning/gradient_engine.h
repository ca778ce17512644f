// Per-example gradients of a model: the seam between a training loop and its kernels.
//
// Two engines implement it: the Eigen reference (any architecture, checked against finite differences) and
// the fused Highway engine (the papers' CNN, checked against the reference). Parameters are one flat float
// vector whose layout the architecture fixes (architecture.h). Thread rule: an engine is immutable and may be
// shared; a Workspace belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace muster::learning {

struct Example {
  std::span<const float> pixels;  // 784 normalised inputs, row-major 28x28
  std::uint8_t label;             // 0..9
};

class Workspace {
 public:
  virtual ~Workspace() = default;
};

class GradientEngine {
 public:
  virtual ~GradientEngine() = default;
  virtual std::size_t parameter_count() const = 0;
  virtual std::unique_ptr<Workspace> make_workspace() const = 0;

  // Overwrites `gradient` (parameter_count floats) with d loss / d parameters of one example; returns the
  // cross-entropy loss in nats.
  virtual float gradient(std::span<const float> parameters, const Example& example, Workspace& workspace,
                         std::span<float> gradient) const = 0;

  // The class with the largest logit (the lowest index on a tie).
  virtual std::uint8_t predict(std::span<const float> parameters, std::span<const float> pixels,
                               Workspace& workspace) const = 0;
};

}  // namespace muster::learning
