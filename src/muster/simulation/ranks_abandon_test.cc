// Tests that a rank that cannot take part in an all-reduce ends the whole job with its status. This is a
// program of its own because no rank returns from it: tests/cli/mpi_test.py starts it under mpirun and
// expects status 7 and no waiting rank.
#include "muster/simulation/ranks.h"

int main() {
  const auto ranks = muster::simulation::join_ranks();
  if (ranks->index() + 1 == ranks->count()) {
    ranks->abandon(7);
  }
  muster::simulation::together(*ranks, [] {});
  return 0;  // not reached, because the last rank does not take part
}
