// Decides when to try again what failed. The delays double up to a bound, and half of each delay is random.
//
// Nothing but time and chance goes in, so a delay tells nothing about what was to be sent. An object
// belongs to one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "muster/service/client/draws.h"

namespace muster::service {

class Backoff {
 public:
  // `shortest` is at least 2 milliseconds, and `longest` is not below it.
  Backoff(std::int64_t shortest, std::int64_t longest)
      : shortest_(shortest), longest_(longest), delay_(shortest) {}

  // How long to wait now, in milliseconds, after a failure whose reason operators may see.
  std::int64_t next(Draws& draws, std::string why) {
    ++failures_;
    why_ = std::move(why);
    const std::int64_t delay = delay_;
    delay_ = std::min(2 * delay_, longest_);
    return delay - delay / 2 +
           static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(delay / 2 + 1)));
  }
  void succeeded() {
    delay_ = shortest_;
    failures_ = 0;
  }
  // How often it failed since it last succeeded.
  std::uint64_t failures() const { return failures_; }
  // Why it failed last; empty if it never did, or if nothing is known.
  const std::string& why() const { return why_; }

 private:
  std::int64_t shortest_, longest_, delay_;
  std::uint64_t failures_ = 0;
  std::string why_;
};

}  // namespace muster::service
