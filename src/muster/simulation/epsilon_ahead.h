// The epsilon of the next logged round, worked out while the rounds before it run.
//
// One epsilon costs a fraction of a second, and when it will be asked for is known beforehand. The value is
// that of the function given, whether or not it was started ahead. Driven by one thread; the function must be
// callable from another.
#pragma once

#include <cstdint>
#include <functional>
#include <future>

namespace muster::simulation {

class EpsilonAhead {
 public:
  // `epsilon` must outlive this.
  explicit EpsilonAhead(const std::function<double(std::uint64_t)>& epsilon) : epsilon_(epsilon) {}

  // Starts working out the epsilon of so many rounds.
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
  std::future<double> value_;       // of rounds_; taken once
  std::uint64_t known_rounds_ = 0;  // the last value taken: slots of one run are logged with the same one
  double known_ = 0;
};

}  // namespace muster::simulation
