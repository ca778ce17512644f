// Manages the folder of a sweep or a comparison, which holds one folder per run, and a summary as JSON and as
// a picture.
//
// Call check_folder() before the first run, and leave_summary() after the last one, from one thread. A folder
// belongs to one process at a time; nothing locks it, but each run locks its own folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "muster/experiments/choices.h"
#include "muster/experiments/planned_runs.h"

namespace muster::experiments {

inline constexpr const char* kSummaryFile = "summary.json";
inline constexpr const char* kSummaryPicture = "summary.svg";

// Returns runs/NAME-KIND-HASH8, the folder where the user names none. HASH8 is the beginning of a hash of the
// plans of all runs, in the order given. At least one run is required.
std::filesystem::path usual_folder(const std::vector<PlannedRun>& runs, const std::string& kind);

// Throws Error(file) unless the folder is absent or empty or, with `resume`, holds nothing but folders of
// these runs and their summary. `kind` says in the error what they are, "sweep" or "comparison", and
// `choices` how to go on.
void check_folder(const std::filesystem::path& folder, const std::vector<PlannedRun>& runs,
                  const std::string& kind, bool resume, const Choices& choices = {});

// Replaces the two files of the summary. If no run began, there is no folder, and nothing is written. Throws
// Error(file) if the files cannot be written.
void leave_summary(const std::filesystem::path& folder, const std::string& json, const std::string& picture);

}  // namespace muster::experiments
