// Checks that the keys that describe a CSV file fit together: population.label, population.split,
// population.test_data, and population.records if it names a column.
//
// These keys apply to csv data only. The test set may be named by a column or by a file, but not by both. If
// a column names the owners of the records, the plan may neither state a partition of the records nor let
// clients share them. The function is pure.
#pragma once

#include <optional>
#include <string>

#include "muster/plan/plan.h"

namespace muster::protocols {

// A key that conflicts with the other keys, with the allowed values and the message that an Error states.
struct Misfit {
  const char* key;
  const char* allowed;
  std::string message;
};

// Returns the first key that conflicts with the others, or nullopt if there is none. population.test_data may
// be stated without population.data.
std::optional<Misfit> misfit_of_layout(const PlanValues& values);

}  // namespace muster::protocols
