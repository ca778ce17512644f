// Checks that the keys that describe a CSV file fit together: population.label, population.split,
// population.test_data, and population.records if it names a column.
//
// They apply to csv data only. A column or a file may name the test set, but not both. If a column names the
// owners of the records, there is nothing to deal and nothing to share. The function is pure.
#pragma once

#include <optional>
#include <string>

#include "muster/plan/plan.h"

namespace muster::protocols {

// A key that conflicts with the other keys, in the words of an Error.
struct Misfit {
  const char* key;
  const char* allowed;
  std::string message;
};

// The first key that conflicts with the others; nullopt if there is none. population.test_data may be stated
// without population.data.
std::optional<Misfit> misfit_of_layout(const PlanValues& values);

}  // namespace muster::protocols
