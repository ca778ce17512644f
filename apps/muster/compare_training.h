// Trains the rows of a comparison, for `muster compare --train`.
//
// Every run is an ordinary run in its own folder below runs/NAME-compare-HASH8, so it can be resumed and
// reported like any other. Before the first run begins, every plan is checked, as in a sweep (sweep.h). Call
// the functions once, from one thread.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "muster/comparison/comparison.h"
#include "muster/experiments/planned_runs.h"
#include "muster/simulation/ranks.h"

namespace muster::app {

struct CompareTrainingFlags {
  bool train = false;
  std::uint64_t seeds = 1;
  std::string out;
  bool resume = false;
  unsigned threads = simulation::usual_threads();
  std::vector<const CLI::Option*> only_with_train;

  void add_to(CLI::App& cli);
  // Throws Error(usage) for a flag of training without --train, and for --train among several ranks of
  // mpirun.
  void check() const;
};

// Trains the rows that have a plan and leaves the summary in the folder. Fills the rows' runs and
// all.training, and returns the runs, which point into `all`. Throws what ManyRuns::check, check_folder and
// ManyRuns::run_all throw.
std::vector<experiments::PlannedRun> train_rows(comparison::Comparison& all, const protocols::Plan& own,
                                                const CompareTrainingFlags& flags);

// Returns the exit status of a comparison whose result has been printed. Throws Error(data) if a run failed.
int status_of(const comparison::Comparison& all, const std::vector<experiments::PlannedRun>& runs);

}  // namespace muster::app
