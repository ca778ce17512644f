// Calls a function again and again, with a pause in between, on a thread of its own. The function
// shares what it uses with other threads, and must not throw. Make and destroy a Ticker from one thread.
//
// A function that may have to wait for somebody while it keeps others waiting can be given `rest`: the pause
// after a call is then at least this many times as long as the call took.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace muster::service {

class Ticker {
 public:
  Ticker(std::chrono::milliseconds pause, std::function<void()> tick, unsigned rest = 0)
      : pause_(pause), rest_(rest), tick_(std::move(tick)), thread_([this] { run(); }) {}
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
  using Clock = std::chrono::steady_clock;

  void run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      lock.unlock();
      const auto began = Clock::now();
      tick_();
      const Clock::duration rest = rest_ * (Clock::now() - began);
      lock.lock();
      stop_.wait_for(lock, std::max<Clock::duration>(pause_, rest), [&] { return stopping_; });
    }
  }

  std::chrono::milliseconds pause_;
  unsigned rest_;
  std::function<void()> tick_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;  // the last member, because it uses the others
};

}  // namespace muster::service
