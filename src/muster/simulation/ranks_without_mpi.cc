#include <string>

#include "muster/simulation/ranks_mpi.h"

namespace muster::simulation {

std::unique_ptr<Ranks> join_mpi() {
  const std::string ranks = std::to_string(launch_of_this_process().ranks);
  throw Error::in_words(ErrorCode::usage, Reason::inapplicable, "mpirun", ranks, "one process",
                        "mpirun started " + ranks +
                            " processes, but this muster was built without MPI, so they cannot share a run: "
                            "install libopenmpi-dev and build muster again, or run it without mpirun");
}

}  // namespace muster::simulation
