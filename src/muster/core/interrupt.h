// A request to stop, made from outside (for example by a signal handler). Long work checks for it between
// blocks.
//
// A default-constructed Interrupt never requests a stop. Any other refers to a flag, and the stop is
// requested while the flag is true. Copies refer to the same flag, which must outlive them. Any thread may
// call the member functions.
//
// Example:
//     for (block : blocks) { interrupt.check(); work(block); }   // a block takes milliseconds
#pragma once

#include <atomic>

#include "muster/core/error.h"

namespace muster {

inline Error interrupted() { return {ErrorCode::interrupted, "", "", "", "interrupted"}; }

class Interrupt {
 public:
  Interrupt() = default;
  explicit Interrupt(const std::atomic<bool>* flag) : flag_(flag) {}

  bool requested() const { return flag_ != nullptr && flag_->load(std::memory_order_relaxed); }
  // Throws interrupted() if the stop is requested.
  void check() const {
    if (requested()) throw interrupted();
  }

 private:
  const std::atomic<bool>* flag_ = nullptr;
};

// No Interrupt is passed to computations of privacy. While an InterruptScope lives, those of its thread check
// its `interrupt`. A thread that such a computation starts needs a scope of its own:
//     std::async([interrupt = InterruptScope::current()] { const InterruptScope scope(interrupt); work(); });
// An answer that is interrupted throws interrupted() and leaves the objects that it used as they were.
class InterruptScope {
 public:
  explicit InterruptScope(Interrupt interrupt) : before_(current()) { current() = interrupt; }
  ~InterruptScope() { current() = before_; }
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  // The interrupt of this thread's innermost scope, or one that never requests a stop.
  static Interrupt& current() {
    thread_local Interrupt interrupt;
    return interrupt;
  }

 private:
  Interrupt before_;
};

}  // namespace muster
