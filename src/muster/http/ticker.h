// Calls a function again and again, with a pause in between, on a thread of its own. The function
// shares what it uses with other threads, and must not throw. Make and destroy a Ticker from one thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace muster::service {

class Ticker {
 public:
  Ticker(std::chrono::milliseconds pause, std::function<void()> tick)
      : pause_(pause), tick_(std::move(tick)), thread_([this] { run(); }) {}
  ~Ticker() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    stop_.notify_all();
    thread_.join();
  }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      lock.unlock();
      tick_();
      lock.lock();
      stop_.wait_for(lock, pause_, [&] { return stopping_; });
    }
  }

  std::chrono::milliseconds pause_;
  std::function<void()> tick_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;  // the last member, because it uses the others
};

}  // namespace muster::service
