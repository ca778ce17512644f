#include "muster/service/ports/clock.h"

#include <chrono>

namespace muster::service {
namespace {

template <typename T>
std::int64_t milliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(T::now().time_since_epoch()).count();
}

class SystemClock final : public Clock {
 public:
  std::int64_t wall_ms() override { return milliseconds<std::chrono::system_clock>(); }
  std::int64_t steady_ms() override { return milliseconds<std::chrono::steady_clock>(); }
};

}  // namespace

Clock& system_clock() {
  static SystemClock clock;
  return clock;
}

}  // namespace muster::service
