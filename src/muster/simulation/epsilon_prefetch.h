// Computes the epsilon of the next logged round while the rounds before it run.
//
// Computing one epsilon takes a fraction of a second, and it is known in advance for which number of rounds
// the next epsilon is needed. of() returns the same value whether or not start() was called before; start()
// only saves time. An object belongs to one thread, but it calls `epsilon` from another thread as well.
#pragma once

#include <cstdint>
#include <functional>
#include <future>

namespace muster::simulation {

class EpsilonPrefetch {
 public:
  // `epsilon` must outlive this object.
  explicit EpsilonPrefetch(const std::function<double(std::uint64_t)>& epsilon) : epsilon_(epsilon) {}

  // Starts computing the epsilon of `rounds` rounds.
  void start(std::uint64_t rounds) {
    if (known_rounds_ == rounds) {
      return;
    }
    rounds_ = rounds;
    value_ = std::async(std::launch::async, [this, rounds] { return epsilon_(rounds); });
  }

  double of(std::uint64_t rounds) {
    if (value_.valid() && rounds_ == rounds) {
      // get() rethrows what `epsilon` threw. Then known_rounds_ must not change, because known_ does not hold
      // the epsilon of `rounds`.
      known_ = value_.get();
      known_rounds_ = rounds;
    }
    return known_rounds_ == rounds ? known_ : epsilon_(rounds);
  }

 private:
  const std::function<double(std::uint64_t)>& epsilon_;
  std::uint64_t rounds_ = 0;
  // The epsilon of rounds_, whose computation may still be running. A future gives its value only once, so
  // of() keeps the value in known_.
  std::future<double> value_;
  // The number of rounds and the value of the last future that of() read. They are kept because several
  // logged slots of one run need the same epsilon.
  std::uint64_t known_rounds_ = 0;
  double known_ = 0;
};

}  // namespace muster::simulation
