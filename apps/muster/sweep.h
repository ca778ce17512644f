// Runs a sweep: trains one plan for each combination of values of some keys, and for several seeds.
//
// Every run is an ordinary run in its own folder below runs/NAME-sweep-HASH8: it can be resumed and reported
// like any other. Before the first run begins, every combination is checked: its plan must be valid and
// covered by a theorem, and its budget must pay for the first round. Runs that share a data set are
// consecutive, and the data set is read once. Runs with the same mechanism, stages and delta share the
// accountant's curves.
#pragma once

#include "train_flags.h"

namespace muster::app {

// Runs `muster train PLAN --sweep KEY=V1,V2 --seeds N` and returns the exit status.
int run_sweep(const TrainFlags& flags);

}  // namespace muster::app
