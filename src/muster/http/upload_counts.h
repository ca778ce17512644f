// How uploads were answered since the process started, in numbers that do not tell when an upload came.
//
// Whoever reads a counter again and again sees when it grows. Therefore told() returns the counts as they
// were when the round opened for as long as the round is open, so nobody learns from them how many devices
// have sent an upload so far, or when one did. The count of uploads that were refused because the queue was
// full (status 503) is always current, because such an upload was not read, and its device sends it again.
// The methods may be called from any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "muster/service/ports/ports.h"

namespace muster::service {

class UploadCounts {
 public:
  struct Counts {
    std::uint64_t stored = 0, refused = 0, over = 0, busy = 0;  // by Answer
    bool operator==(const Counts&) const = default;
  };

  void add(Answer answer);
  // Call round_opens() when a round opens, and round_ends() when it is over.
  void round_opens();
  void round_ends();
  Counts told() const;

 private:
  Counts now() const;

  std::atomic<std::uint64_t> stored_{0}, refused_{0}, over_{0}, busy_{0};
  mutable std::mutex mutex_;
  bool is_open_ = false;
  Counts at_opening_;
};

}  // namespace muster::service
