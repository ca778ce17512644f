// The name of the mutation that a build of mutation_test.cc is linked with; `none` if sources are unchanged.
#pragma once

extern const char* const muster_mutation;
