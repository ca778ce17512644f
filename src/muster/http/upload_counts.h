// How uploads were answered since the process started, in numbers that do not tell when an upload came.
//
// Whoever reads a counter again and again sees when it grows. So while a round is open, what is told stands
// still, at what it was when the round opened: nobody learns from it how many devices were heard so far, or
// when one was. Refusals of a full queue (503) are told at once: such an upload was not looked at, and its
// device comes again. The methods may be called from any thread.
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
  // A round opens, or the one that was open is over.
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
