// Reads the CPU seconds that this thread or this process has used, which exclude other work on the machine.
// The functions may be called from any thread.
#pragma once

#include <ctime>

namespace muster::bench {

inline double cpu_seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

inline double thread_cpu_seconds() { return cpu_seconds_of(CLOCK_THREAD_CPUTIME_ID); }
inline double process_cpu_seconds() { return cpu_seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace muster::bench
