// A bounded queue into which many threads put items. One thread of the queue takes all items that wait and
// consumes them together, because what it does with them (a sync of the disk) takes about as long for many as
// for one. For the same reason the first item waits for a moment, so that others can join it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace muster::service {

template <typename T>
class BatchQueue {
 public:
  // `consume` is called with what waits, at least one item, by one thread; `moment` is how long the first of
  // them waits for the others.
  BatchQueue(std::size_t capacity, std::chrono::milliseconds moment,
             std::function<void(std::vector<T>)> consume)
      : capacity_(capacity), moment_(moment), consume_(std::move(consume)), consumer_([this] { run(); }) {}
  // Consumes what still waits before it returns.
  ~BatchQueue() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    filled_.notify_all();
    stopped_.notify_all();
    consumer_.join();
  }
  BatchQueue(const BatchQueue&) = delete;
  BatchQueue& operator=(const BatchQueue&) = delete;

  // Returns false, and takes nothing, if the queue is full.
  bool put(T item) {
    bool is_first = false;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.size() >= capacity_) return false;
      is_first = waiting_.empty();
      waiting_.push_back(std::move(item));
    }
    if (is_first) filled_.notify_one();
    return true;
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      filled_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      stopped_.wait_for(lock, moment_, [&] { return stopping_; });
      std::vector<T> taken;
      taken.swap(waiting_);
      lock.unlock();
      consume_(std::move(taken));
      lock.lock();
    }
  }

  std::size_t capacity_;
  std::chrono::milliseconds moment_;
  std::function<void(std::vector<T>)> consume_;
  std::mutex mutex_;
  std::condition_variable filled_, stopped_;
  std::vector<T> waiting_;
  bool stopping_ = false;
  std::thread consumer_;  // the last member, because its thread uses the others
};

}  // namespace muster::service
