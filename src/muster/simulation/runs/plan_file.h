// The file plan.txt of a run: its plan after overrides, one "key = value" line per key.
//
// The file holds Plan::canonical(). The hash that the checkpoint states is of the same text.
#pragma once

#include <filesystem>

#include "muster/plan/plan.h"

namespace muster::simulation {

inline constexpr const char* kPlanFile = "plan.txt";

// Throws Error(file), naming the line where possible, if the file is not the canonical() text of a plan that
// can be trained.
protocols::Plan read_plan(const std::filesystem::path& file);

}  // namespace muster::simulation
