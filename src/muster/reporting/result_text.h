// The result of a training run in words, as `muster train` prints it without --json.
#pragma once

#include <string>

#include "muster/plan/plan.h"
#include "muster/simulation/runs/result_file.h"

namespace muster::reporting {

// Several lines, each with a name and a value: accuracy, epsilon, time and folder. Lines on shared records
// and neutral answers follow if there are any.
std::string result_text(const protocols::Plan& plan, const simulation::RunResult& result);

}  // namespace muster::reporting
