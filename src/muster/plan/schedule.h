// A number for every round, constant from each of its steps to the next.
//
// Immutable. Rounds count from 1.
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
  // Error(plan) naming `key` unless the first step is at round 1 and rounds increase.
  static Schedule piecewise(Steps steps, const char* key);

  double at(std::uint64_t round) const;  // round >= 1
  // The same number in every round: steps that repeat the number before them do not count.
  bool constant() const;
  const Steps& steps() const { return steps_; }
  // A number, or "[[1, 0.5], [7, 0.25]]".
  std::string canonical() const;

 private:
  Steps steps_;
};

}  // namespace muster::protocols
