// Computes what several plans on one population (launches) cost together, for `muster account A B ...`.
#pragma once

#include <string>
#include <vector>

#include "muster/accounting/statement.h"
#include "muster/plan/plan.h"

namespace muster::app {

// A plan and the file that it was read from.
struct NamedPlan {
  std::string file;
  protocols::Plan plan;
};

struct LaunchFlags {
  bool basic = false;  // whether later plans were chosen after seeing what earlier ones released
  bool json = false;
};

// Returns the delta that all plans state. Throws Error(plan) if two plans state different deltas or a plan
// states none.
double common_delta(const std::vector<NamedPlan>& plans);

// Prints the cost of each plan and of all together, and returns the exit status. Throws Error(plan) if a
// client holds other records in one plan than in another, and whatever accounting::Launches throws.
int account_launches(const std::vector<NamedPlan>& plans, const accounting::Question& question,
                     const LaunchFlags& flags);

}  // namespace muster::app
