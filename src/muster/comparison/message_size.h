// Computes the number of bits of a client's message, which depends on the model and on the shape of the
// records.
//
// The functions may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "muster/learning/shape.h"
#include "muster/plan/plan.h"

namespace muster::comparison {

// The shape of a record, and the number of classes of its label.
struct Records {
  learning::Shape shape;
  std::size_t classes;
};

// Returns the shape and the number of classes of the records of the plan's data set. The built-in digits need
// not be generated for this, and of a data set in files only the test part is read. Throws Error(data) or
// Error(file) if its files cannot be read.
Records records_of(const protocols::Plan& plan);

// Returns the number of bits of one message, in a format without field names or types. The result is nullopt
// if the plan's randomizer has no sampler (such as `pure`) or needs a clip norm that the plan does not have.
// Throws Error(plan) if the model does not support the records.
std::optional<std::uint64_t> message_bits(const protocols::Plan& plan, const Records& records);

}  // namespace muster::comparison
