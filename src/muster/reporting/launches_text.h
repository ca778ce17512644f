// Several launches on one population as `muster account A B ...` prints them: JSON, and a table for people.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/reporting/json.h"

namespace muster::reporting {

// One launch and its cost.
struct LaunchShare {
  std::string name;             // the plan's file
  accounting::Statement alone;  // the statement of this launch by itself
  // The upper value of all other launches together; absent where the total is a sum of shares.
  std::optional<double> without;
};

// The statement of all launches together, with the additional key "launches": the statement of each launch by
// itself, to which the keys "plan" and "without" are added.
JsonObject launches_json(const accounting::Statement& all, const std::vector<LaunchShare>& shares);

// A table of the launches, then the table of all together (statement_text.h). Upper values are rounded up.
std::string launches_table(const accounting::Statement& all, const std::vector<LaunchShare>& shares);

}  // namespace muster::reporting
