// Computes the epsilon of the next logged round while the rounds before it run.
//
// One epsilon costs a fraction of a second, and it is known beforehand for how many rounds the next one will
// be needed. The value is that of the given function, whether or not its computation was started ahead. One
// thread drives an object; the function must be callable from another thread.
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
      known_rounds_ = rounds;
      known_ = value_.get();
    }
    return known_rounds_ == rounds ? known_ : epsilon_(rounds);
  }

 private:
  const std::function<double(std::uint64_t)>& epsilon_;
  std::uint64_t rounds_ = 0;
  // The epsilon of rounds_; a future gives its value once.
  std::future<double> value_;
  // The rounds of the last value taken. Several logged slots of one run need the same epsilon.
  std::uint64_t known_rounds_ = 0;
  double known_ = 0;
};

}  // namespace muster::simulation
