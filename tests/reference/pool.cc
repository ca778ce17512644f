#include "tests/reference/pool.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <vector>

namespace muster::reference {
namespace {

constexpr rlim_t kMemory = rlim_t{6} << 30U;  // bytes of address space for one job

struct Running {
  pid_t process;
  int from;
  Finished finished;
};

Running start(const PoolLimits& limits, std::uint64_t index, const Job& job) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const pid_t process = fork();
  if (process < 0) throw std::runtime_error("no process");
  if (process == 0) {
    [[maybe_unused]] const rlimit memory{kMemory, kMemory};
    const rlimit seconds{limits.processor_seconds, limits.processor_seconds + 1}, core{0, 0};
    setrlimit(RLIMIT_CPU, &seconds);
#ifndef __SANITIZE_ADDRESS__  // AddressSanitizer needs terabytes of addresses for its shadow memory
    setrlimit(RLIMIT_AS, &memory);
#endif
    setrlimit(RLIMIT_CORE, &core);
    close(ends[0]);
    job(index, ends[1]);
    _exit(0);  // without destructors, because the parent owns the open files
  }
  close(ends[1]);
  return {process, ends[0], {index, "", ""}};
}

// Reads what the job has written, and returns whether the job has ended.
bool read_some(Running& running) {
  std::array<char, 4096> buffer{};
  const ssize_t count = read(running.from, buffer.data(), buffer.size());
  if (count > 0) running.finished.output.append(buffer.data(), static_cast<std::size_t>(count));
  if (count > 0 || (count < 0 && errno == EINTR)) return false;
  close(running.from);
  int status = 0;
  while (waitpid(running.process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    running.finished.ended =
        signal == SIGXCPU || signal == SIGKILL ? "time" : "signal " + std::to_string(signal);
  } else if (WEXITSTATUS(status) != 0) {
    running.finished.ended = "exit " + std::to_string(WEXITSTATUS(status));
  }
  return true;
}

}  // namespace

void write_all(int out, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t count = write(out, text.data() + at, text.size() - at);
    if (count < 0 && errno != EINTR) return;
    if (count > 0) at += static_cast<std::size_t>(count);
  }
}

void run_pool(const PoolLimits& limits, const std::function<bool(std::uint64_t& index)>& next, const Job& job,
              const std::function<void(const Finished&)>& done) {
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  const auto time_left = [&] {
    return limits.wall_seconds <= 0 ||
           std::chrono::duration<double>(Clock::now() - began).count() < limits.wall_seconds;
  };
  std::vector<Running> jobs;
  bool more = true;
  while (more || !jobs.empty()) {
    while (more && static_cast<int>(jobs.size()) < limits.jobs) {
      std::uint64_t index = 0;
      more = time_left() && next(index);
      if (more) jobs.push_back(start(limits, index, job));
    }
    std::vector<pollfd> wait;
    for (const Running& running : jobs) wait.push_back({running.from, POLLIN, 0});
    if (wait.empty() || poll(wait.data(), wait.size(), -1) < 0) continue;
    for (std::size_t i = jobs.size(); i-- > 0;) {
      if (wait[i].revents == 0 || !read_some(jobs[i])) continue;
      const Finished finished = std::move(jobs[i].finished);
      jobs.erase(jobs.begin() + static_cast<std::ptrdiff_t>(i));
      done(finished);
    }
  }
}

}  // namespace muster::reference
