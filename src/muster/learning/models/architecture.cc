#include "muster/learning/models/architecture.h"

#include <cmath>
#include <string>

#include "muster/core/error.h"

namespace muster::learning {

const char* name_of(ArchitectureKind kind) {
  switch (kind) {
    case ArchitectureKind::cnn:
      return "cnn";
    case ArchitectureKind::logistic:
      return "logistic";
    case ArchitectureKind::mlp:
      return "mlp";
  }
  return "";
}

std::vector<Layer> layers(const Architecture& architecture) {
  const Shape& input = architecture.input;
  LayerStack stack(input);
  switch (architecture.kind) {
    case ArchitectureKind::cnn:
      if (input.height < kMinCnnSide || input.width < kMinCnnSide) {
        throw Error(ErrorCode::plan, Reason::inapplicable, "model.kind", "cnn", "logistic | mlp",
                    "needs images of at least " + std::to_string(kMinCnnSide) + "x" +
                        std::to_string(kMinCnnSide) + " pixels; the data has inputs of " +
                        std::to_string(input.height) + "x" + std::to_string(input.width));
      }
      return stack.convolution(16, 8, 2, 3)
          .activation(architecture.activation)
          .max_pool(2, 1)
          .convolution(32, 4, 2, 0)
          .activation(architecture.activation)
          .max_pool(2, 1)
          .dense(32)
          .activation(architecture.activation)
          .dense(architecture.classes)
          .done();
    case ArchitectureKind::logistic:
      return stack.dense(architecture.classes).done();
    case ArchitectureKind::mlp:
      return stack.dense(kHiddenUnits).activation(architecture.activation).dense(architecture.classes).done();
  }
  throw Error(ErrorCode::internal, "architecture", "", "", "not an architecture");
}

std::size_t parameter_count(const Architecture& architecture) {
  return parameter_count(layers(architecture));
}

std::vector<float> initial_parameters(const Architecture& architecture, const random::RunKey& key,
                                      const random::StreamAddress& address) {
  random::KeyedStream words(key, address);
  const std::vector<Layer> stack = layers(architecture);
  std::vector<float> parameters(parameter_count(stack), 0.0F);
  for (const Layer& layer : stack) {
    if (layer.weights == 0) continue;
    const double bound = kInitialGain * std::sqrt(3.0 / static_cast<double>(layer.fan_in()));
    for (std::size_t w = 0; w < layer.weights; ++w) {
      const double unit = static_cast<double>(words.next_u64() >> 40) * 0x1p-24;
      parameters[layer.weights_at + w] = static_cast<float>(bound * (2.0 * unit - 1.0));
    }
  }
  return parameters;
}

}  // namespace muster::learning
