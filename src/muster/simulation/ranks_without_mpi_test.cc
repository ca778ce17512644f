// Tests the build without MPI, even on a machine with MPI: this test is linked with the sources that such a
// build compiles.
#include <gtest/gtest.h>

#include <cstdlib>

#include "muster/core/error_of_test.h"
#include "muster/simulation/ranks.h"

namespace muster::simulation {
namespace {

TEST(RanksWithoutMpi, OneProcessIsAlone) {
  EXPECT_EQ(join_ranks()->count(), 1u);
  ::setenv("OMPI_COMM_WORLD_SIZE", "1", 1);  // as under mpirun -n 1
  EXPECT_EQ(join_ranks()->count(), 1u);
}

TEST(RanksWithoutMpi, SeveralAreRefusedByName) {
  ::setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
  const Error error = error_of([&] { join_ranks(); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_EQ(error.key(), "mpirun");
  EXPECT_EQ(error.value(), "4");
  EXPECT_NE(std::string(error.what()).find("libopenmpi-dev"), std::string::npos);
}

}  // namespace
}  // namespace muster::simulation
