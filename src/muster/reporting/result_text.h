// Puts the result of a training run into words, as `muster train` prints it without --json. The function is
// pure.
#pragma once

#include <string>

#include "muster/plan/plan.h"
#include "muster/simulation/runs/result_file.h"

namespace muster::reporting {

// Returns several lines, each with a name and a value: accuracy, epsilon, time and folder. Between these,
// lines on the accuracy by client, on records and on neutral answers (run_notes.h) are added if they apply.
std::string result_text(const protocols::Plan& plan, const simulation::RunResult& result);

}  // namespace muster::reporting
