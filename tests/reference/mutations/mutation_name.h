// Which mutation of the sources a build of mutation_test.cc is linked with; `none` is the unchanged sources.
#pragma once

extern const char* const muster_mutation;
