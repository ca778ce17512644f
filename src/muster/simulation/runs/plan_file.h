// Reads the file plan.txt of a run: its plan after overrides, one "key = value" line per key.
//
// The file holds the text of Plan::canonical(), and the checkpoint states the hash of this text. The
// function only reads the file and may be called from any thread.
#pragma once

#include <filesystem>

#include "muster/plan/plan.h"

namespace muster::simulation {

inline constexpr const char* kPlanFile = "plan.txt";

// Returns the plan in the file. Throws Error(file), naming the line where possible, if the file is not the
// canonical() text of a plan that can be trained.
protocols::Plan read_plan(const std::filesystem::path& file);

}  // namespace muster::simulation
