// How many bits a client's message has, which depends on the model and on the shape of the records.
//
// Callable from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "muster/learning/shape.h"
#include "muster/plan/plan.h"

namespace muster::comparison {

// What a record looks like.
struct Records {
  learning::Shape shape;
  std::size_t classes;
};

// The records that the plan names. Built-in digits are not drawn for this; of files, the test part is read.
// Throws Error(data) or Error(file) for files that cannot be read.
Records records_of(const protocols::Plan& plan);

// The bits of one message, in a format that spends none on names or types. None if no sampler of the plan's
// randomizer can be made: it is a description alone (pure), or the plan states no clip. Throws Error(plan) for
// records that the model does not support.
std::optional<std::uint64_t> message_bits(const protocols::Plan& plan, const Records& records);

}  // namespace muster::comparison
