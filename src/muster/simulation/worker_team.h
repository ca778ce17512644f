// Threads that live as long as a training run and work together on one task at a time.
//
// run(task) calls task(0), ..., task(size()-1) concurrently, task(0) on the caller's thread, and returns when
// all are done. If workers throw, run rethrows the exception of the worker with the lowest number. Waking the
// team takes microseconds, so a task may be as small as one round. Only one thread at a time may use a team.
//
// Example:
//     WorkerTeam team(2);
//     team.run([&](unsigned worker) { ... });
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace muster::simulation {

class WorkerTeam {
 public:
  // Starts size - 1 threads; size >= 1. Throws Error(internal) if the system refuses a thread.
  explicit WorkerTeam(unsigned size);
  ~WorkerTeam();
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

  unsigned size() const { return static_cast<unsigned>(failures_.size()); }
  void run(const std::function<void(unsigned)>& task);

 private:
  void serve(unsigned worker);
  void attempt(unsigned worker, const std::function<void(unsigned)>& task);
  void stop();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  const std::function<void(unsigned)>* task_ = nullptr;  // guarded by mutex_, like the next three
  std::uint64_t generation_ = 0;                         // number of tasks handed out so far
  unsigned busy_ = 0;                                    // started threads that are still working
  bool stopping_ = false;
  std::vector<std::exception_ptr> failures_;  // one per worker, written only by that worker
  std::vector<std::thread> threads_;
};

}  // namespace muster::simulation
