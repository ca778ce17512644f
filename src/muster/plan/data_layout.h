// Checks that the keys that describe a CSV file fit together: population.label, population.split and
// population.test_data.
//
// They apply to csv data only, and a column or a file may name the test set, but not both. The function is
// pure.
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
