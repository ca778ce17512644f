// A bounded queue from many threads to one, which takes everything that waits at a time: what it does with
// all of it together (a sync of the disk) costs about as much as for one. The consumer is a thread of the
// queue.
#pragma once

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
  // `consume` is called with what waits, at least one item, by one thread.
  BatchQueue(std::size_t capacity, std::function<void(std::vector<T>)> consume)
      : capacity_(capacity), consume_(std::move(consume)), consumer_([this] { run(); }) {}
  // What waits is consumed first.
  ~BatchQueue() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    filled_.notify_all();
    consumer_.join();
  }
  BatchQueue(const BatchQueue&) = delete;
  BatchQueue& operator=(const BatchQueue&) = delete;

  // Returns false, and takes nothing, if the queue is full.
  bool put(T item) {
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.size() >= capacity_) return false;
      waiting_.push_back(std::move(item));
    }
    filled_.notify_one();
    return true;
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      filled_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      std::vector<T> taken;
      taken.swap(waiting_);
      lock.unlock();
      consume_(std::move(taken));
      lock.lock();
    }
  }

  std::size_t capacity_;
  std::function<void(std::vector<T>)> consume_;
  std::mutex mutex_;
  std::condition_variable filled_;
  std::vector<T> waiting_;
  bool stopping_ = false;
  std::thread consumer_;  // last: it uses the others
};

}  // namespace muster::service
