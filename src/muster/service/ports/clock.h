// The time, as the roles ask for it.
//
// Wall time says when a round ends, so that a restarted process knows it; it may jump. Steady time measures
// how long something took within one process, and never goes back. Implementations may be called from any
// thread.
#pragma once

#include <cstdint>

namespace muster::service {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t wall_ms() = 0;    // milliseconds since 1970
  virtual std::int64_t steady_ms() = 0;  // milliseconds since some moment before this process asked first
};

// The machine's clocks.
Clock& system_clock();

}  // namespace muster::service
