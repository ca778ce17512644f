#include "interrupt.h"

#include <semaphore.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace muster::app {
namespace {

std::atomic<bool> g_interrupted{false};
std::atomic<std::int64_t> g_first_signal{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);

// Each signal posts this semaphore. So a wait also ends if the signal came after the last look at the flag
// and before the wait began.
sem_t g_wake;
[[maybe_unused]] const bool g_wake_made = ::sem_init(&g_wake, 0, 0) == 0;

void on_signal(int) {
  const int saved = errno;
  ::sem_post(&g_wake);
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  if (!g_interrupted.exchange(true)) {
    g_first_signal = now.tv_sec;
  } else if (now.tv_sec > g_first_signal + 1) {
    ::_exit(130);
  }
  errno = saved;
}

}  // namespace

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGUSR1, &action, nullptr);
}

const std::atomic<bool>& interrupted() { return g_interrupted; }

void wait_for_signal(std::chrono::milliseconds longest) {
  if (g_interrupted || longest.count() <= 0) return;
  timespec end{};
  ::clock_gettime(CLOCK_MONOTONIC, &end);
  constexpr std::int64_t kBillion = 1'000'000'000;
  const std::int64_t nanoseconds = end.tv_nsec + longest.count() % 1000 * 1'000'000;
  end.tv_sec += longest.count() / 1000 + nanoseconds / kBillion;
  end.tv_nsec = nanoseconds % kBillion;
  while (!g_interrupted && ::sem_clockwait(&g_wake, CLOCK_MONOTONIC, &end) != 0 && errno == EINTR) {
  }
}

}  // namespace muster::app
