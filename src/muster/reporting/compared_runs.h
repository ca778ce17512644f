// Runs that are compared with each other: their names, and what a reader must know before comparing numbers.
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

// A note on the runs, as in run_notes.h, that names the runs which it is about unless it is about all.
struct RunsNote {
  bool warns;
  std::string words;
};

// Returns notes on differences because of which numbers of different runs do not compare: test sets, measures
// of accuracy, deltas, observers, and what epsilon protects.
std::vector<RunsNote> cautions(const std::vector<ComparedRun>& runs);
// Returns the notes on single runs: how many records a client holds, what is unfinished, alarms, and so on.
std::vector<RunsNote> notes_on(const std::vector<ComparedRun>& runs);

}  // namespace muster::reporting
