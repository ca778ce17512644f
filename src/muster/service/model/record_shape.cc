#include "muster/service/model/record_shape.h"

#include "muster/learning/dataset.h"
#include "muster/simulation/model_task.h"
#include "muster/simulation/setup.h"

namespace muster::service {

RecordShape record_shape_of(const TaskDocument& task) {
  const TaskSettings& settings = task.settings();
  if (settings.classes > 0) return {{1, 1, settings.features}, settings.classes};
  return {{learning::kImageSide, learning::kImageSide, 1}, learning::kClasses};
}

std::size_t dimension_of(const TaskDocument& task) {
  const RecordShape shape = record_shape_of(task);
  return simulation::client_dimension(task.plan(), shape.inputs, shape.classes);
}

std::unique_ptr<randomizers::VectorRandomizer> randomizer_of(const TaskDocument& task) {
  return simulation::make_randomizer(task.plan(), dimension_of(task));
}

}  // namespace muster::service
