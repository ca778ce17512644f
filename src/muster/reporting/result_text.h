// The result of a training run in words, as `muster train` prints it without --json.
#pragma once

#include <string>

#include "muster/plan/plan.h"
#include "muster/simulation/runs/result_file.h"

namespace muster::reporting {

// Several lines, each a word and the value that it names: accuracy, epsilon, time, folder and, where there
// is something to say, shared records and neutral answers.
std::string result_text(const protocols::Plan& plan, const simulation::RunResult& result);

}  // namespace muster::reporting
