#include "muster/simulation/worker_team.h"

#include <chrono>
#include <string>
#include <system_error>

#include "muster/core/error.h"

namespace muster::simulation {
namespace {

// Waits until `holds`, as condition.wait(lock, holds) does. Since GCC 12, wait() has a new symbol version, so
// a program that calls it does not start on the oldest systems that the Python wheel supports. wait_for() has
// kept its old one.
template <typename Holds>
void wait_until(std::condition_variable& condition, std::unique_lock<std::mutex>& lock, const Holds& holds) {
  while (!condition.wait_for(lock, std::chrono::hours(1), holds)) {
  }
}

}  // namespace

WorkerTeam::WorkerTeam(unsigned size) {
  if (size == 0) {
    throw Error(ErrorCode::internal, "threads", "0", "at least 1", "a team needs a worker");
  }
  failures_.resize(size);
  try {
    for (unsigned worker = 1; worker < size; ++worker) {
      threads_.emplace_back([this, worker] { serve(worker); });
    }
  } catch (const std::system_error& refused) {
    stop();
    throw Error(ErrorCode::internal, "threads", std::to_string(size), "",
                std::string("the system refused to start a thread: ") + refused.what());
  }
}

WorkerTeam::~WorkerTeam() { stop(); }

void WorkerTeam::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void WorkerTeam::run(const std::function<void(unsigned)>& task) {
  {
    const std::lock_guard lock(mutex_);
    task_ = &task;
    busy_ = static_cast<unsigned>(threads_.size());
    ++generation_;
  }
  wake_.notify_all();
  attempt(0, task);
  {
    std::unique_lock lock(mutex_);
    wait_until(done_, lock, [this] { return busy_ == 0; });
  }
  std::exception_ptr first;
  for (std::exception_ptr& failure : failures_) {
    if (failure && !first) {
      first = failure;
    }
    failure = nullptr;
  }
  if (first) {
    std::rethrow_exception(first);
  }
}

void WorkerTeam::serve(unsigned worker) {
  std::uint64_t served = 0;
  for (;;) {
    const std::function<void(unsigned)>* task = nullptr;
    {
      std::unique_lock lock(mutex_);
      wait_until(wake_, lock, [&] { return stopping_ || generation_ != served; });
      if (stopping_) {
        return;
      }
      served = generation_;
      task = task_;
    }
    attempt(worker, *task);
    {
      const std::lock_guard lock(mutex_);
      if (--busy_ == 0) {
        done_.notify_one();
      }
    }
  }
}

void WorkerTeam::attempt(unsigned worker, const std::function<void(unsigned)>& task) {
  try {
    task(worker);
  } catch (...) {
    failures_[worker] = std::current_exception();
  }
}

}  // namespace muster::simulation
