// This function has a file of its own, so that programs that never call it need not load MPI.
#include "muster/simulation/ranks.h"
#include "muster/simulation/ranks_mpi.h"

namespace muster::simulation {

std::unique_ptr<Ranks> join_ranks() { return launch_of_this_process().ranks > 1 ? join_mpi() : alone(); }

}  // namespace muster::simulation
