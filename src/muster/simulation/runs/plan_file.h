// Reads the file plan.txt of a run: its plan after overrides, one "key = value" line per key.
//
// The file holds the text of Plan::canonical(), and the checkpoint states the hash of this text. The
// functions only read the file and may be called from any thread.
#pragma once

#include <filesystem>

#include "muster/plan/plan.h"

namespace muster::simulation {

inline constexpr const char* kPlanFile = "plan.txt";

// Returns the plan in the file. Throws Error(file), naming the line where possible, if the file is not the
// canonical() text of a plan that can be trained.
protocols::Plan read_plan(const std::filesystem::path& file);

// Throws Error(checkpoint) if the file is of another plan than `plan`: the value that it found names the keys
// that differ as the file states them, and the allowed value names them as `plan` does. Throws Error(file) if
// the file cannot be read.
void require_plan(const std::filesystem::path& file, const protocols::Plan& plan);

}  // namespace muster::simulation
