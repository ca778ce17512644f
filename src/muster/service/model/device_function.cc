#include "muster/service/model/device_function.h"

#include <utility>

#include "muster/core/error.h"
#include "muster/learning/models/pretraining.h"
#include "muster/simulation/client_update.h"

namespace muster::service {
namespace {

void check_frozen(const protocols::Plan& plan, const RecordShape& shape,
                  const std::optional<simulation::FrozenNetwork>& frozen) {
  const bool wanted = plan.model() == protocols::ModelKind::features_linear;
  const auto fits = [&] {
    if (!wanted || !frozen) return wanted == frozen.has_value();
    const bool tanh = frozen->network.activation == learning::ActivationFunction::tanh;
    return frozen->network.input == shape.inputs &&
           tanh == (plan.activation() == protocols::Activation::tanh);
  };
  if (!fits()) throw Error(ErrorCode::data, "frozen", "", "", "is not the frozen part of the task's model");
}

}  // namespace

DeviceFunction::DeviceFunction(const TaskDocument& task, std::optional<simulation::FrozenNetwork> frozen)
    : plan_(task.plan()),
      shape_(record_shape_of(task)),
      dimension_(dimension_of(task)),
      frozen_(std::move(frozen)) {
  check_frozen(plan_, shape_, frozen_);
}

std::vector<float> DeviceFunction::evaluate(std::span<const float> parameters,
                                            const learning::Dataset& record) const {
  if (parameters.size() != dimension_) {
    throw Error(ErrorCode::internal, "model", "", "", "has another number of parameters");
  }
  if (record.size() != 1 || record.shape != shape_.inputs || record.labels.front() >= shape_.classes) {
    throw Error(ErrorCode::data, "record", "", "", "is not a record of the task");
  }
  learning::Dataset inputs =
      frozen_ ? learning::features_of(frozen_->network, frozen_->parameters, record, 1) : record;
  inputs.classes = shape_.classes;
  const auto function = simulation::make_client_function(plan_, inputs);
  const simulation::ClientUpdate update(*function, inputs, simulation::local_sgd_of(plan_));
  const auto workspace = update.make_workspace();
  std::vector<float> vector(dimension_);
  constexpr simulation::Record kOnly = 0;
  update.evaluate(parameters, std::span(&kOnly, 1), nullptr, *workspace, vector);
  return vector;
}

}  // namespace muster::service
