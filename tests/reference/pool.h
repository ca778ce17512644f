// Runs each job in a process of its own, so that a question that hangs, dies or exhausts memory does not end
// the run.
//
// This needs POSIX. The parent must have only one thread while it uses a pool.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace muster::reference {

struct PoolLimits {
  int jobs = 2;
  double wall_seconds = 0;          // no job starts after this time; 0: no limit
  unsigned processor_seconds = 30;  // limit for each job
};

// The end of a job. `output` is the text that it wrote. `ended` is empty if all went well, and otherwise a
// cause such as "time", "signal 11" or "exit 1".
struct Finished {
  std::uint64_t index;
  std::string output;
  std::string ended;
};

// A job writes its lines to the file descriptor `out`.
using Job = std::function<void(std::uint64_t index, int out)>;

// Starts the jobs whose index next() sets, until it returns false or the time is over. `done` is called in
// the parent as each job ends.
void run_pool(const PoolLimits& limits, const std::function<bool(std::uint64_t& index)>& next, const Job& job,
              const std::function<void(const Finished&)>& done);

// Writes the whole text to a file descriptor.
void write_all(int out, const std::string& text);

}  // namespace muster::reference
