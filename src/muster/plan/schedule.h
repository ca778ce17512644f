// A schedule gives a number for every round. It is piecewise constant: the value of each step holds until the
// next step begins.
//
// Rounds count from 1. A Schedule is immutable and may be shared between threads.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace muster::protocols {

class Schedule {
 public:
  using Steps = std::vector<std::pair<std::uint64_t, double>>;

  Schedule(double value)
      : steps_{{1, value}} {}  // NOLINT(google-explicit-constructor): a number is a schedule
  // Throws Error(plan), which names `key`, unless the first step is at round 1 and the rounds increase.
  static Schedule piecewise(Steps steps, const char* key);

  double at(std::uint64_t round) const;  // round >= 1; throws Error(internal) for 0
  // Whether all rounds have the same number. Steps that repeat the previous value are allowed.
  bool constant() const;
  const Steps& steps() const { return steps_; }
  // Returns the number as text if there is only one step; otherwise all steps, as in "[[1, 0.5], [7, 0.25]]".
  std::string canonical() const;

 private:
  Steps steps_;
};

}  // namespace muster::protocols
