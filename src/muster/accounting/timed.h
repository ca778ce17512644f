// Measures the wall time that a bound takes, which `muster account --all` prints beside the bound. No other
// result depends on it. The functions read a clock and share nothing, so any thread may call them.
#pragma once

#include <chrono>
#include <utility>

#include "muster/accounting/statement.h"

namespace muster::accounting {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Returns the bound that `make` makes, with the wall time that `make` took.
template <typename Make>
Bound timed(Make&& make) {
  const Stopwatch watch;
  Bound bound = std::forward<Make>(make)();
  bound.seconds = watch.seconds();
  return bound;
}

}  // namespace muster::accounting
