#include "interrupt.h"

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

void on_signal(int) {
  const int saved = errno;
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

}  // namespace muster::app
