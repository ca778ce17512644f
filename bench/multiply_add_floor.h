// Measures the least time that a core needs for a number of multiply-adds, with a loop that does nothing else
// on the widest vectors of this machine. Benchmarks divide their times by it. The ratios can then be compared
// between fast, slow and busy machines. The functions may be called from any thread.
#pragma once

#include <cstddef>

namespace muster::bench {

// Performs at least `count` single-precision multiply-adds in registers; the result depends on all of them.
float multiply_adds(std::size_t count);

// Returns the CPU seconds for `count` multiply-adds: the least of 100 means, each over 20 calls.
double multiply_add_floor(std::size_t count);

}  // namespace muster::bench
