// Runs exact_gaussian_test.cc over a hundred million coordinates.
#define MUSTER_EXACT_COORDINATES 100'000'000
#include "muster/randomizers/exact_gaussian_test.cc"  // NOLINT(bugprone-suspicious-include): on purpose
