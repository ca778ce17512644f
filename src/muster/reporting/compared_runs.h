// Names runs that are compared with each other, and says what a reader must know before comparing their
// numbers.
//
// Only run_labels() asks the file system, for the current folder. Any thread may call the functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "muster/reporting/watched_run.h"
#include "muster/simulation/runs/run_record.h"

namespace muster::reporting {

// Charts have colours and marks for this many runs.
inline constexpr std::size_t kMostRuns = 8;

struct ComparedRun {
  std::string label;                 // no other compared run has the same
  const simulation::RunRecord& run;  // with the epsilons that are proven today (stated_epsilon.h)
  const WatchedRun& watched;
  std::uint64_t larger;  // how many of the epsilons in the run's files are larger than those
};

// Returns a label for each run: the name of its folder or, where two folders have the same name, its path as
// given. The paths must be those of different folders.
std::vector<std::string> run_labels(const std::vector<std::filesystem::path>& folders);

// A note as in run_notes.h. It names the runs that it is about, unless it is about all of them.
struct RunsNote {
  bool warns;
  std::string words;
};

// Returns notes on those differences between the runs that make their numbers incomparable: test sets,
// measures of accuracy, deltas, observers, and what epsilon protects.
std::vector<RunsNote> cautions(const std::vector<ComparedRun>& runs);
// Returns the notes on single runs: how many records a client holds, what is unfinished, alarms, and so on.
std::vector<RunsNote> notes_on(const std::vector<ComparedRun>& runs);

}  // namespace muster::reporting
