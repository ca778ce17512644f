// A counter of this thread's work on sums over atoms; its unit is the addition of one term. Unlike a clock it
// does not depend on the machine or its load, so code that chooses by it between precise and quick methods
// chooses alike everywhere.
//
// Only differences of two values have a meaning. Inversion integrals leap over negligible frequencies
// (sums/frequency_walk.h). Which ones depends on the last bits of a characteristic function, so counts for
// different instruction sets may differ by a few frequencies. Thread rule: each thread has its own counter.
#pragma once

#include <cstddef>

namespace muster::numerics {

inline double& work_done() {
  thread_local double work = 0;
  return work;
}

// Work of a term that takes an exponential or a sine, and work per frequency besides its terms: a logarithm,
// an angle and two rotations.
inline constexpr double kWorkOfFunction = 8;
inline constexpr double kWorkOfFrequency = 300;
// Work of an exponential computed alone, without vectors, and of the sine and cosine of an angle that is too
// large for the vector kernels.
inline constexpr double kWorkOfLoneExponential = 40;
inline constexpr double kWorkOfFarSine = 160;

inline void count_work(std::size_t terms, double each, double besides) {
  work_done() += static_cast<double>(terms) * each + besides;
}

}  // namespace muster::numerics
