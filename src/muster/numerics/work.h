// A counter of this thread's work on sums over atoms; its unit is the addition of one term. Unlike a clock,
// the counter does not depend on the machine's speed or load, so a choice between a precise and a quick
// method can be based on it.
//
// Only differences between two readings of the counter have a meaning. Inversion integrals skip negligible
// frequencies (sums/frequency_walk.h). Which frequencies they skip depends on the last bits of a
// characteristic function, so counts for different instruction sets may differ by a few frequencies. Each
// thread has its own counter, so any thread may use it.
#pragma once

#include <cstddef>

namespace muster::numerics {

inline double& work_done() {
  thread_local double work = 0;
  return work;
}

// The work of a term that takes an exponential or a sine, and the work that a frequency takes in addition to
// its terms, for a logarithm, an angle and two rotations in the complex plane.
inline constexpr double kWorkOfFunction = 8;
inline constexpr double kWorkOfFrequency = 300;
// Work of a single exponential, computed without vectors, and of the sine and cosine of an angle that is too
// large for the vector kernels.
inline constexpr double kWorkOfLoneExponential = 40;
inline constexpr double kWorkOfFarSine = 160;

// Adds the work of `terms` terms, each of which takes `each` units, and `besides` further units.
inline void count_work(std::size_t terms, double each, double besides) {
  work_done() += static_cast<double>(terms) * each + besides;
}

}  // namespace muster::numerics
