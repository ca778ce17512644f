// Formats what several launches (runs of plans on the same clients) cost together, for `muster account A B
// ...`: as JSON, and as a table for people. The functions are pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/plan/plan.h"
#include "muster/reporting/json.h"

namespace muster::reporting {

// A launch and its cost.
struct LaunchShare {
  std::string name;             // the plan's file
  accounting::Statement alone;  // the statement of this launch by itself
  // The upper value of all other launches together; nullopt if the total is the sum of the values of the
  // launches.
  std::optional<double> upper_without;
};

// Returns the statement of all launches together, with the additional key "launches". Its value is a list of
// the statements of each launch by itself, to which the keys "plan" and "without" are added.
JsonObject launches_json(const accounting::Statement& all, const std::vector<LaunchShare>& shares);

// Returns the line above the table of `launches`, of which `plans` are the plans: "2 launches, one after
// another, for a client who takes part in all; delta = 1e-05", and whom epsilon is for if a client holds
// several records. Requires at least one plan.
std::string launches_heading(const std::vector<protocols::Plan>& plans, const accounting::Question& question);

// Returns a table of the launches, then the statement table of all together (statement_text.h). Upper values
// are rounded up. Requires at least one share.
std::string launches_table(const accounting::Statement& all, const std::vector<LaunchShare>& shares);

}  // namespace muster::reporting
