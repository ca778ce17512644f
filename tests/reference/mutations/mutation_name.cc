// The name of the mutation that this build holds, for mutation_test.cc.
#include "tests/reference/mutations/mutation_name.h"

const char* const muster_mutation = MUSTER_MUTATION;
