// A clock for tests, which moves only when the test says so. Any thread may ask it for the time; the thread
// of the test moves it.
#pragma once

#include <atomic>
#include <cstdint>

#include "muster/service/ports/clock.h"

namespace muster::service {

class ManualClock final : public Clock {
 public:
  std::int64_t wall_ms() override { return wall_; }
  std::int64_t steady_ms() override { return steady_; }

  void advance(std::int64_t milliseconds) {
    wall_ += milliseconds;
    steady_ += milliseconds;
  }
  // Moves on until the steady time is `steady`.
  void advance_to(std::int64_t steady) { advance(steady - steady_); }
  // Sets the wall clock. Steady time does not change.
  void set_wall(std::int64_t milliseconds) { wall_ = milliseconds; }

 private:
  std::atomic<std::int64_t> wall_{1'800'000'000'000}, steady_{5'000};
};

}  // namespace muster::service
