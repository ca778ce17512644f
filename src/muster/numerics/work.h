// A counter of this thread's work on sums over atoms, in additions of a term. Unlike a clock it does not
// depend on the machine or its load, so code that chooses between precise and quick methods by it
// chooses alike everywhere.
//
// Only differences of two values have a meaning. Which negligible frequencies are leapt over depends on
// the last bits of a characteristic function, so counts for different instruction sets may differ by a
// few frequencies. Thread rule: each thread has its own counter.
#pragma once

#include <cstddef>

namespace muster::numerics {

inline double& work_done() {
  thread_local double work = 0;
  return work;
}

// Cost of a term that takes an exponential or a sine, and of the logarithm, the angle and the two
// rotations that every frequency ends with.
inline constexpr double kWorkOfFunction = 8;
inline constexpr double kWorkOfFrequency = 300;
// Cost of an exponential computed alone, without vectors, and of a sine and a cosine of an
// angle of any size.
inline constexpr double kWorkOfLoneExponential = 40;
inline constexpr double kWorkOfFarSine = 160;

inline void count_work(std::size_t terms, double each, double besides) {
  work_done() += static_cast<double>(terms) * each + besides;
}

}  // namespace muster::numerics
