// Measures the least time that a core needs for a number of multiply-adds: a loop that does nothing else,
// on the widest vectors of this machine. Benchmarks divide by it, so that their ratios mean the same on a
// fast machine and on a busy one.
#pragma once

#include <cstddef>

namespace muster::bench {

// Performs at least `count` single-precision multiply-adds in registers; the result depends on all of them.
float multiply_adds(std::size_t count);

// CPU seconds for `count` multiply-adds: the best of 100 repetitions of 20.
double multiply_add_floor(std::size_t count);

}  // namespace muster::bench
