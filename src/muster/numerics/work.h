// What this thread's sums over atoms have cost so far, counted in additions of a term: a clock that reads the
// same on every machine and under every load, for what has to choose between precise and quick.
//
// Only differences of two readings mean something. Leaps over negligible frequencies hang on the last bits of
// a transform, so readings of different instruction sets may differ by some frequencies. Thread rule: each
// thread has its own.
#pragma once

#include <cstddef>

namespace muster::numerics {

inline double& work_done() {
  thread_local double work = 0;
  return work;
}

// A term that takes an exponential or a sine costs as much as eight others; a frequency ends with a
// logarithm, an angle and two turns.
inline constexpr double kWorkOfFunction = 8;
inline constexpr double kWorkOfFrequency = 300;
// One at a time, without a vector: an exponential, and a sine and a cosine of an angle of any size.
inline constexpr double kWorkOfLoneExponential = 40;
inline constexpr double kWorkOfFarSine = 160;

inline void count_work(std::size_t terms, double each, double besides) {
  work_done() += static_cast<double>(terms) * each + besides;
}

}  // namespace muster::numerics
