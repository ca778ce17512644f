// Keeps the mass and the moments of one side of a law, by the binary exponent of the atoms' sizes.
//
// rare_terms.h uses these rough values to choose the sizes that divide a law into ordinary and large terms;
// no bound depends on them. Call add() for every atom of the side, then accumulate(), then the other
// functions, which any thread may call.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "muster/numerics/ordered.h"

namespace muster::numerics {

class TailMoments {
 public:
  static constexpr int kLowest = -300, kHighest = 300;

  TailMoments() : beyond_(kHighest - kLowest + 1, 0.0), first_(beyond_), second_(beyond_) {}
  void add(double size, double weight) {
    const std::size_t at = slot(exponent(size) + 1);
    beyond_[at] += weight;
    first_[at] += weight * size;
    second_[at] += weight * size * size;
  }
  void accumulate() {
    for (std::size_t i = beyond_.size() - 1; i-- > 0;) {
      beyond_[i] += beyond_[i + 1];
      first_[i] += first_[i + 1];
    }
    for (std::size_t i = 1; i < second_.size(); ++i) {
      second_[i] += second_[i - 1];
    }
  }
  // The least power of two that |Y| reaches with at most this probability.
  double size_passed_with(double probability) const {
    for (int e = kLowest; e < kHighest; ++e) {
      if (beyond_[slot(e + 1)] <= probability) {
        return std::ldexp(1.0, e);
      }
    }
    return std::ldexp(1.0, kHighest);
  }
  // Rough values of P(|Y| > size), E(|Y|; |Y| > size) and E(Y^2; |Y| <= size). `size` is rounded down to a
  // power of two.
  double chance_beyond(double size) const { return beyond_[slot(exponent(size) + 1)]; }
  double first_beyond(double size) const { return first_[slot(exponent(size) + 1)]; }
  double second_within(double size) const { return second_[slot(exponent(size))]; }

 private:
  // The binary exponent of `size`, limited to the range of the slots, because ilogb of an infinite size is
  // the largest integer.
  static int exponent(double size) {
    return size > 0 ? within(std::ilogb(size), kLowest, kHighest) : kLowest;
  }
  static std::size_t slot(int exponent) {
    return static_cast<std::size_t>(within(exponent, kLowest, kHighest) - kLowest);
  }
  // Slot e holds the mass of sizes in [2^{e-1}, 2^e), and after accumulate() that of all sizes >= 2^{e-1}.
  std::vector<double> beyond_;
  std::vector<double> first_;   // the first moment of the sizes that beyond_ counts
  std::vector<double> second_;  // the second moment of the slot; after accumulate(), of sizes below 2^e
};

}  // namespace muster::numerics
