#include <string>

#include "muster/simulation/ranks_mpi.h"

namespace muster::simulation {

std::unique_ptr<Ranks> join_mpi() {
  throw Error(
      ErrorCode::usage, "mpirun", std::to_string(launch_of_this_process().ranks), "one process",
      "this build of muster has no MPI, so its processes cannot share a run: install libopenmpi-dev and "
      "build again");
}

}  // namespace muster::simulation
