// A wish to stop, set from outside (for example by a signal), that long work looks at between its blocks.
//
// The default is never set. Copies refer to the same flag, which must outlive them; any thread may ask.
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
  // Throws interrupted() if it is requested.
  void check() const {
    if (requested()) throw interrupted();
  }

 private:
  const std::atomic<bool>* flag_ = nullptr;
};

}  // namespace muster
