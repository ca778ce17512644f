// Encloses epsilon for many rounds of the sampled Gaussian mechanism with a trusted server
// (sampled_gaussian.h).
//
// For each neighbouring relation and each direction, the dominating pair is the same in every round, so it
// can be composed. Adding and removing a client are composed separately, and the larger epsilon is returned.
// One pair of data sets attains the dominating pair in all rounds, so the lower end is close to the upper
// one. Objects are immutable, and any thread may use them. A call tabulates the privacy loss and takes up to
// a second.
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
  // sigma and rate must be in the ranges that SampledGaussian accepts. Throws Error(internal) unless
  // `neighbouring` is replace_one or add_remove.
  SampledGaussianRounds(double sigma, double rate, Neighbouring neighbouring);

  // Encloses the smallest epsilon of `rounds` >= 1 rounds at 0 < delta < 1. The upper end is infinite where
  // no table of the privacy loss reaches far enough.
  numerics::Enclosure epsilon(std::uint64_t rounds, double delta) const;

 private:
  SampledGaussian round_;
  bool replaces_;
};

}  // namespace muster::accounting
