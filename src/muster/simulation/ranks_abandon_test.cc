// Tests that a rank that cannot take part in an all-reduce ends the whole job with its exit status. This is a
// program of its own because none of its ranks returns: tests/cli/mpi_test.py starts it under mpirun and
// expects status 7 and no rank that still waits.
#include "muster/simulation/ranks.h"

int main() {
  const auto ranks = muster::simulation::join_ranks();
  if (ranks->index() + 1 == ranks->count()) {
    ranks->abandon(7);
  }
  muster::simulation::together(*ranks, [] {});
  return 0;  // not reached, because the last rank does not take part
}
