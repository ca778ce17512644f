// Bounds the hockey-stick divergence of T rounds if an adversary chooses the type of each round after seeing
// what all earlier rounds released. The bound is computed by a recursion over the rounds.
//
// Let a list of types cover a round (round_types.h). A type has the P-mass p(l) at the loss l, and the
// P-mass `infinity` at infinite loss. For an epsilon e, let V_0(e) = (1 - exp(e))_+ and
//     V_t(e) = max over types of infinity + sum over losses l of p(l) V_{t-1}(e - l).
// Then V_T(eps) bounds the hockey-stick divergence of T adaptive rounds at eps, for both orders of the pair
// (Theorem 11, docs/theory/aggregated.md). V_t is stored at lattice points e >= 0. Its values left of 0
// follow by exchanging P and Q. Between lattice points, the chord in alpha = exp(e) bounds V_t; right of
// the last point, its last value does. All terms are positive and every value is rounded up. So every
// value, however small, is an upper bound within a relative 1e-9 of the value in exact arithmetic. The work
// is O(T * points * masses), where masses is the number of losses of all types. Const methods may be called
// concurrently; a mutex serializes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "muster/composition/round_types.h"

namespace muster::accounting {

class AdaptiveRounds {
 public:
  // `points`: the number of lattice points, from 0 on, at which V is stored; rounded up.
  AdaptiveRounds(RoundTypes types, std::size_t points);

  // The values of V after `rounds` >= 1 rounds at e = 0, spacing, 2 spacing, ...; they do not
  // increase with e.
  std::vector<double> after(std::uint64_t rounds) const;
  double spacing() const { return types_.spacing; }

  // The bound at any `epsilon` >= 0 from `values` at e = 0, spacing, ...: the chord in alpha, rounded up.
  // It is 1 if `epsilon` is negative or NaN.
  static double between(const std::vector<double>& values, double spacing, double epsilon);

 private:
  void step() const;
  std::vector<double> one_round(const RoundType& type, std::size_t stride) const;

  RoundTypes types_;
  std::size_t points_, margin_;
  mutable std::mutex mutex_;
  mutable std::uint64_t rounds_ = 0;    // the number of rounds after which V is `values_`
  mutable std::vector<double> values_;  // values_[margin_ + i] is V after rounds_ rounds at e = i spacing
  // V after every kEvery rounds, by the number of rounds.
  mutable std::map<std::uint64_t, std::vector<double>> kept_;
};

}  // namespace muster::accounting
