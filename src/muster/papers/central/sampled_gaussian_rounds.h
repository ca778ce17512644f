// Epsilon of many rounds of a trusted server that samples clients (sampled_gaussian.h).
//
// The pair of one relation and order is the same in every round, so that its dominating pair composes; adding and
// removing a client compose apart, and the larger epsilon counts. The pairs are attained by data sets that stay
// the same in all rounds, so that the lower value is close to the upper one. Immutable; the functions may be called
// from any thread. Each builds its tables anew, which takes up to a second.
//
// Example:
//     SampledGaussianRounds rounds(1.0, 0.01, Neighbouring::add_remove);
//     rounds.epsilon(1000, 1e-5).upper;   // proven
#pragma once

#include <cstdint>

#include "muster/accounting/statement.h"
#include "muster/numerics/enclosure.h"
#include "muster/papers/central/sampled_gaussian.h"

namespace muster::accounting {

class SampledGaussianRounds {
 public:
  // As SampledGaussian; `neighbouring` is replace_one or add_remove, else Error(internal).
  SampledGaussianRounds(double sigma, double rate, Neighbouring neighbouring);

  // Encloses the smallest epsilon at `delta` of `rounds` rounds; 0 < delta < 1, rounds >= 1. The upper end is
  // infinite where no table reaches far enough.
  numerics::Enclosure epsilon(std::uint64_t rounds, double delta) const;

 private:
  SampledGaussian round_;
  bool replaces_;
};

}  // namespace muster::accounting
