// Exact discrete samplers, from any BitSource.
//
// bernoulli and uniform_below are exact: they compare integers and reject, and a probability is rounded
// only once, to its declared 64-bit numerator. Normals are in normals.h. Pure functions of the bits they
// draw.
#pragma once

#include <cstdint>

#include "muster/random/bit_source.h"

namespace muster::random {

// A probability as the exact rational numerator / 2^64; 1 is representable.
class Probability {
 public:
  // The largest multiple of 2^-64 that is not above p, so a coin never falls true more often than p says. p
  // must be in [0, 1], else Error(internal).
  static Probability at_most(double p);
  // Exactly numerator / 2^64.
  static Probability of_numerator(std::uint64_t numerator);
  // The coin decided by one uniform word: true with exactly this probability.
  bool accepts(std::uint64_t word) const { return always_ || word < numerator_; }
  double value() const;
  // The probability times 2^64; 0 for probability 1.
  std::uint64_t numerator() const { return numerator_; }
  bool is_one() const { return always_; }

 private:
  std::uint64_t numerator_ = 0;
  bool always_ = false;
};

bool bernoulli(BitSource& bits, const Probability& p);

// Uniform on {0, ..., bound-1}, unbiased (Lemire's multiplication with rejection). bound >= 1, else
// Error(internal).
std::uint64_t uniform_below(BitSource& bits, std::uint64_t bound);

}  // namespace muster::random
