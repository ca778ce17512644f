// Lets several threads use a role that only one thread at a time may use. After an error no thread may use
// the role any more, since a role whose files failed must not go on.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>

namespace muster::service {

class SerialAccess {
 public:
  // Does the work while no other thread uses the role. Returns false if it threw, or if earlier work did.
  template <typename Work>
  bool alone(const Work& work) {
    const std::lock_guard lock(work_);
    if (has_failed()) return false;
    try {
      work();
      return true;
    } catch (...) {
      const std::lock_guard failure_lock(mutex_);
      failure_ = std::current_exception();
      failed_.notify_all();
      return false;
    }
  }
  // Waits for at most `milliseconds` for an error, and throws it if it comes.
  void wait(unsigned milliseconds) {
    std::unique_lock lock(mutex_);
    failed_.wait_for(lock, std::chrono::milliseconds(milliseconds), [&] { return failure_ != nullptr; });
    if (failure_) std::rethrow_exception(failure_);
  }
  // Whether some work threw.
  bool has_failed() {
    const std::lock_guard lock(mutex_);
    return failure_ != nullptr;
  }

 private:
  std::mutex work_, mutex_;
  std::condition_variable failed_;
  std::exception_ptr failure_;
};

}  // namespace muster::service
