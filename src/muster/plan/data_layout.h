// How the keys that say what is in a CSV file go together: population.label, population.split and population.test_data.
//
// They belong to csv data, and a test set is named once: by a column or by a file. Pure function; call from any thread.
#pragma once

#include <optional>
#include <string>

#include "muster/plan/plan.h"

namespace muster::protocols {

// A key that does not go with the others, as an Error says it.
struct Misfit {
  const char* key;
  const char* allowed;
  std::string message;
};

// What is wrong with the layout, if anything is. Test data may stand alone, without population.data.
std::optional<Misfit> misfit_of_layout(const PlanValues& values);

}  // namespace muster::protocols
