// Runs certified_normals_test.cc over every radius word and every angle word, which takes minutes per vector
// target.
#define MUSTER_WORD_STRIDE 1
#include "muster/random/certified_normals_test.cc"  // NOLINT(bugprone-suspicious-include): on purpose
