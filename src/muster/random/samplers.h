// Provides exact discrete samplers, which draw their bits from any BitSource.
//
// bernoulli and uniform_below are exact: they compare integers, and uniform_below rejects some words. A
// probability is rounded only once, down to a multiple of 2^-64. Normals are in normals.h. The results depend
// on the drawn bits only. The functions are thread-safe, but a BitSource belongs to one thread.
#pragma once

#include <cstdint>

#include "muster/random/bit_source.h"

namespace muster::random {

// Holds a probability as the exact fraction numerator / 2^64, or as exactly 1.
class Probability {
 public:
  // Returns the largest multiple of 2^-64 that is at most p, so a coin is never true more often than p says.
  // Throws Error(internal) unless p is in [0, 1].
  static Probability at_most(double p);
  // Returns exactly numerator / 2^64.
  static Probability of_numerator(std::uint64_t numerator);
  // Decides a coin by one uniform word. The result is true with exactly this probability.
  bool accepts(std::uint64_t word) const { return always_ || word < numerator_; }
  double value() const;
  // Returns the probability times 2^64, or 0 for probability 1.
  std::uint64_t numerator() const { return numerator_; }
  bool is_one() const { return always_; }

 private:
  std::uint64_t numerator_ = 0;
  bool always_ = false;
};

bool bernoulli(BitSource& bits, const Probability& p);

// Returns an exactly uniform integer in {0, ..., bound - 1}, by Lemire's multiplication with rejection.
// Throws Error(internal) if bound is 0.
std::uint64_t uniform_below(BitSource& bits, std::uint64_t bound);

}  // namespace muster::random
