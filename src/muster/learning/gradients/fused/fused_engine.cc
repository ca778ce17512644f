#include "muster/learning/gradients/fused/fused_engine.h"

#include "muster/learning/gradients/fused/cnn_kernel.h"
#include "muster/learning/gradients/softmax.h"

namespace muster::learning {
namespace {

struct FusedWorkspace final : Workspace {
  fused::Buffers buffers;
  // The parameters whose transposed weights the buffers hold since the last prepare(). Null before the first
  // prepare(), and after a gradient at other parameters was computed.
  const float* prepared = nullptr;
};

class FusedCnnEngine final : public GradientEngine {
 public:
  std::size_t dimension() const override { return fused::kParameters; }

  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<FusedWorkspace>(); }

  void prepare(std::span<const float> parameters, Workspace& workspace) const override {
    auto& room = static_cast<FusedWorkspace&>(workspace);
    fused::turn_weights(parameters.data(), room.buffers);
    room.prepared = parameters.data();
  }

  float gradient(std::span<const float> parameters, const Example& example, Workspace& workspace,
                 std::span<float> gradient) const override {
    auto& room = static_cast<FusedWorkspace&>(workspace);
    const float loss = pass_forward(parameters, example, room);
    fused::backward(parameters.data(), room.buffers, gradient.data());
    return loss;
  }

  void accumulate(std::span<const float> parameters, const Example& example, Workspace& workspace,
                  float scale, std::span<float> sum) const override {
    auto& room = static_cast<FusedWorkspace&>(workspace);
    pass_forward(parameters, example, room);
    fused::add_backward(parameters.data(), room.buffers, scale, sum.data());
  }

  std::span<const float> logits(std::span<const float> parameters, std::span<const float> pixels,
                                Workspace& workspace) const override {
    fused::Buffers& buffers = static_cast<FusedWorkspace&>(workspace).buffers;
    fused::forward(parameters.data(), pixels.data(), buffers);
    return std::span<const float>(buffers.logits, kClasses);
  }

  std::size_t feature_count() const override { return fused::Dense1::kOutputs; }

  std::span<const float> features(std::span<const float> parameters, std::span<const float> inputs,
                                  Workspace& workspace) const override {
    fused::Buffers& buffers = static_cast<FusedWorkspace&>(workspace).buffers;
    fused::forward(parameters.data(), inputs.data(), buffers);
    return std::span<const float>(buffers.hidden, fused::Dense1::kOutputs);
  }

 private:
  // Returns the loss, and fills the buffers with everything that the backward pass reads.
  static float pass_forward(std::span<const float> parameters, const Example& example, FusedWorkspace& room) {
    fused::Buffers& buffers = room.buffers;
    if (room.prepared != parameters.data()) {
      fused::turn_weights(parameters.data(), buffers);
      room.prepared = nullptr;
    }
    fused::forward(parameters.data(), example.inputs.data(), buffers);
    return cross_entropy<float>(std::span<const float>(buffers.logits, kClasses), example.label,
                                std::span<float>(buffers.logits_slope, kClasses));
  }
};

}  // namespace

std::unique_ptr<GradientEngine> make_fused_cnn_engine() { return std::make_unique<FusedCnnEngine>(); }

}  // namespace muster::learning
