// Joins the ranks of an MPI launcher, if this build has MPI.
//
// CMake compiles one of two sources for this function: ranks_mpi.cc if it finds Open MPI, otherwise
// ranks_without_mpi.cc, which refuses. Call it once per process, from the thread that will make the
// collective calls.
#pragma once

#include <memory>

#include "muster/simulation/ranks.h"

namespace muster::simulation {

// Throws Error(usage) in a build without MPI.
std::unique_ptr<Ranks> join_mpi();

}  // namespace muster::simulation
