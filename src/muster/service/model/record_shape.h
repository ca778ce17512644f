// The shape of a task's records, as far as the task alone says it: all roles need it, and no role but a
// device has a record. The functions are pure and may be called from any thread.
#pragma once

#include <cstddef>
#include <memory>

#include "muster/learning/shape.h"
#include "muster/randomizers/randomizer.h"
#include "muster/service/task/task_document.h"

namespace muster::service {

struct RecordShape {
  learning::Shape inputs;
  std::size_t classes = 0;
  bool operator==(const RecordShape&) const = default;
};

RecordShape record_shape_of(const TaskDocument& task);

// The number of entries of the vector that a device randomizes, and of the parameters. Throws Error(plan)
// if the model does not support such records.
std::size_t dimension_of(const TaskDocument& task);

// The task's randomizer for vectors of dimension_of(). Throws Error(plan) if it does not randomize such
// vectors.
std::unique_ptr<randomizers::VectorRandomizer> randomizer_of(const TaskDocument& task);

}  // namespace muster::service
