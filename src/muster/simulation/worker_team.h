// Threads that live as long as a training run and work on one task at a time.
//
// run(task) calls task(0), ..., task(size()-1) at once, the caller's thread being worker 0, and returns when
// all are done; what a worker throws is rethrown by run, the lowest worker's first. Waking the team costs
// microseconds, so a task may be as small as one round. A team is driven by one thread at a time.
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
  // size >= 1 workers; size - 1 threads are started. Error(internal) when the system refuses a thread.
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
  const std::function<void(unsigned)>* task_ = nullptr;  // guarded by mutex_, like the three below
  std::uint64_t generation_ = 0;                         // tasks handed out so far
  unsigned busy_ = 0;                                    // started threads still at work
  bool stopping_ = false;
  std::vector<std::exception_ptr> failures_;  // one a worker, each written by that worker alone
  std::vector<std::thread> threads_;
};

}  // namespace muster::simulation
