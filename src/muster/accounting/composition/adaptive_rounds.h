// The worst divergence of T rounds in each of which an adversary, who has seen all rounds before, chooses one
// of several types anew: by a recursion over the rounds, exactly.
//
// With V_0(e) = (1 - alpha)_+, alpha = e^e, and for types that cover a round (round_types.h)
//     V_t(e) = max over types of infinity + sum over losses l of p(l) V_{t-1}(e - l),
// V_T(eps) bounds the hockey-stick divergence of T adaptive rounds at eps, both orders of the pair
// (docs/theory/aggregated.md, "Many rounds"). Kept at lattice points e >= 0; left of 0 it follows by
// exchanging the pair, right of the last point the last value holds, between points the chord in alpha. All
// terms are positive: every value is an upper bound to a relative 1e-9, however small. O(T * points *
// masses). Const methods may run concurrently (they take turns).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "muster/accounting/composition/round_types.h"

namespace muster::accounting {

class AdaptiveRounds {
 public:
  // `points` lattice points from 0 on.
  AdaptiveRounds(RoundTypes types, std::size_t points);

  // The bound after some rounds >= 1, at e = 0, spacing, 2 spacing ..; never increasing.
  std::vector<double> after(std::uint64_t rounds) const;
  double spacing() const { return types_.spacing; }

  // Of values at lattice points: at any epsilon >= 0, on the chord in alpha.
  static double between(const std::vector<double>& values, double spacing, double epsilon);

 private:
  void step() const;
  std::vector<double> one_round(const RoundType& type, std::size_t stride) const;

  RoundTypes types_;
  std::size_t points_, margin_;
  mutable std::mutex mutex_;
  mutable std::uint64_t rounds_ = 0;    // that `values_` is of
  mutable std::vector<double> values_;  // of V, margin_ points left of 0 and right of the last
  mutable std::map<std::uint64_t, std::vector<double>> kept_;  // every kEvery rounds
};

}  // namespace muster::accounting
