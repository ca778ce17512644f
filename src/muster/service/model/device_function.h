// What a device computes on its own record. The result is, bit for bit, the vector that the simulation
// computes for the client that holds this record. It follows from what a device can have: the record, the
// task, the round's model and its frozen part.
//
// An object is immutable and may be shared between threads.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "muster/learning/dataset.h"
#include "muster/service/model/record_shape.h"
#include "muster/service/task/task_document.h"
#include "muster/simulation/model_task.h"

namespace muster::service {

class DeviceFunction {
 public:
  // Throws Error(data) if `frozen` is absent for features+linear, present for another model, or not of the
  // shape and activation that the task says. Throws Error(plan) where dimension_of() does.
  DeviceFunction(const TaskDocument& task, std::optional<simulation::FrozenNetwork> frozen);

  std::size_t dimension() const { return dimension_; }
  // Returns the vector at these parameters for `record`, a data set of one example. The vector need not be
  // finite. Throws Error(data) for a record of another shape or class, and Error(internal) for another number
  // of parameters.
  std::vector<float> evaluate(std::span<const float> parameters, const learning::Dataset& record) const;

 private:
  protocols::Plan plan_;
  RecordShape shape_;
  std::size_t dimension_;
  std::optional<simulation::FrozenNetwork> frozen_;
};

}  // namespace muster::service
