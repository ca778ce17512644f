// Exact discrete samplers and continuous ones, from any BitSource.
//
// bernoulli and uniform_below are exact: integer comparison and rejection, no floating-point rounding of a probability
// beyond its declared 64-bit numerator. The normals are the SIMD Box-Muller of normals.h in scalar form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "muster/random/bit_source.h"
#include "muster/random/keyed_stream.h"

namespace muster::random {

// A probability as the exact rational numerator / 2^64; 1 is representable.
class Probability {
 public:
  // Largest multiple of 2^-64 not above p (so a rounded coin never reports more often than p says). p in [0,1], else
  // Error(internal).
  static Probability at_most(double p);
  // Exact decision for one uniform word: true with probability numerator/2^64.
  bool accepts(std::uint64_t word) const { return always_ || word < numerator_; }
  double value() const;

 private:
  std::uint64_t numerator_ = 0;
  bool always_ = false;
};

bool bernoulli(BitSource& bits, const Probability& p);

// Uniform on {0, ..., bound-1}, unbiased (Lemire's multiplication with rejection). bound >= 1, else Error(internal).
std::uint64_t uniform_below(BitSource& bits, std::uint64_t bound);

// Uniform on [0,1) with 53 bits.
double uniform_unit(BitSource& bits);

// Independent standard normals, single precision (shape: out), a function of the stream's words alone: overwrite
// `out`. SIMD; the same values on every target with fused multiply-add (see normals test for what holds elsewhere).
void fill_normals(const RunKey& key, const StreamAddress& address, std::span<float> out);

}  // namespace muster::random
