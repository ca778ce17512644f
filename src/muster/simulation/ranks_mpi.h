// The ranks of an MPI launcher, where this build has MPI.
//
// CMake compiles one of two sources behind this function: ranks_mpi.cc when it finds Open MPI, else
// ranks_without_mpi.cc, which refuses. Call it once a process, from the thread that will hold the meetings.
#pragma once

#include <memory>

#include "muster/simulation/ranks.h"

namespace muster::simulation {

// Error(usage) in a build without MPI.
std::unique_ptr<Ranks> join_mpi();

}  // namespace muster::simulation
