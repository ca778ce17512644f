// Gives the plans whose training the papers' figures need. They are the files of plans/papers, which are
// compiled into the library, so that `muster reproduce` needs no files.
//
// What a paper's text states about an experiment is in the plan; what was chosen, because the text does not
// state it, has a comment there. Any thread may call the functions.
#pragma once

#include <string>
#include <vector>

#include "muster/plan/source.h"

namespace muster::reproduce {

// Returns the names of the plans, which are those of the files without the folder and ".toml".
std::vector<std::string> paper_plan_names();
// Returns the source of the plan with this name. Throws Error(internal) if there is none.
protocols::PlanSource paper_plan(const std::string& name);

}  // namespace muster::reproduce
