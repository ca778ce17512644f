// A rank that cannot meet the others ends the whole job with its status. A program of its
// own, because no rank comes back from it: tests/cli/mpi_test.py starts it under mpirun and
// expects status 7 and no rank that waits.
#include "muster/simulation/ranks.h"

int main() {
  const auto ranks = muster::simulation::join_ranks();
  if (ranks->index() + 1 == ranks->count()) {
    ranks->abandon(7);
  }
  muster::simulation::together(*ranks, [] {});
  return 0;  // the last rank never came: not reached
}
