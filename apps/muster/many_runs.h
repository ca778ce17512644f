// Makes the command's trainer of many runs, which shows each run's progress on stderr and stops at Ctrl-C.
//
// catch_signals() must have been called before the first run.
#pragma once

#include "muster/experiments/many_runs.h"

namespace muster::app {

// Returns the function that makes an observer for each run, which shows its progress.
experiments::MakeObserver run_progress();

experiments::ManyRuns many_runs(unsigned threads,
                                simulation::Fidelity fidelity = simulation::Fidelity::message);

}  // namespace muster::app
