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

// Throws Error(checkpoint) if the file has another plan than `plan`. The error's value lists the keys that
// differ with their values in the file, and its allowed value lists them with their values in `plan`. Throws
// Error(file) if the file cannot be read.
void require_plan(const std::filesystem::path& file, const protocols::Plan& plan);

}  // namespace muster::simulation
