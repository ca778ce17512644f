#include "muster/learning/gradients/reference_engine.h"

#include "muster/learning/gradients/network.h"

namespace muster::learning {
namespace {

struct ReferenceWorkspace final : Workspace {
  explicit ReferenceWorkspace(Activations<float> made) : activations(std::move(made)) {}
  Activations<float> activations;
};

class ReferenceEngine final : public GradientEngine {
 public:
  explicit ReferenceEngine(const Architecture& architecture) : network_(layers(architecture)) {}

  std::size_t dimension() const override { return network_.parameter_count(); }

  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<ReferenceWorkspace>(network_.make_activations());
  }

  float gradient(std::span<const float> parameters, const Example& example, Workspace& workspace,
                 std::span<float> gradient) const override {
    return network_.gradient(parameters, example.inputs, example.label, room(workspace), gradient);
  }

  std::span<const float> logits(std::span<const float> parameters, std::span<const float> inputs,
                                Workspace& workspace) const override {
    return network_.logits(parameters, inputs, room(workspace));
  }

  std::size_t feature_count() const override { return network_.feature_count(); }

  std::span<const float> features(std::span<const float> parameters, std::span<const float> inputs,
                                  Workspace& workspace) const override {
    network_.logits(parameters, inputs, room(workspace));
    return network_.features(room(workspace));
  }

 private:
  static Activations<float>& room(Workspace& workspace) {
    return static_cast<ReferenceWorkspace&>(workspace).activations;
  }

  Network<float> network_;
};

}  // namespace

std::unique_ptr<GradientEngine> make_reference_engine(const Architecture& architecture) {
  return std::make_unique<ReferenceEngine>(architecture);
}

}  // namespace muster::learning
