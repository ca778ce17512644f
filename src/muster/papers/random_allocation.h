// Computes the exact epsilon and delta of random allocation: a client's contribution goes into one of t
// slots, chosen uniformly and secretly, and every slot is released with its own server noise.
//
// A slot's release is the sum of its clients' contributions plus Gaussian noise of deviation s. The client's
// contribution has norm at most Delta, and the adversary sees all t releases. The neighbouring relation is
// ZERO-OUT (the client's record against a contribution of zero), not replace-one. Subtracting the other
// clients' contributions leaves t independent normals. In the worst case the mean of one of them, chosen
// uniformly, is shifted by Delta. The likelihood ratio of this law to the law without a shift is the average
// of t independent lognormals. So the hockey-stick divergence is exactly that of shuffle_gaussian_pair.h with
// n = t and mu = Delta / s, in both directions. Source: Feldman, Shenfeld, "Efficient privacy loss accounting
// for subsampling and random allocation" (2026, arXiv:2602.17284v1). Both ends of an enclosure are PROVEN,
// because some data sets attain the worst case. Which client uses which slot, and how many use each, must
// stay secret. The page is docs/theory/random-allocation.md. Any thread may use an object.
#pragma once

#include <cstdint>

#include "muster/numerics/enclosure.h"
#include "muster/theorems/exact/shuffle_gaussian_pair.h"

namespace muster::accounting {

class RandomAllocation {
 public:
  // Requires slots >= 1 and mu = Delta / s > 0.
  RandomAllocation(std::uint64_t slots, double mu) : pair_(slots, mu) {}

  // Encloses the hockey-stick divergence at epsilon >= 0, the larger of its two directions.
  numerics::Enclosure delta(double epsilon) const;
  // Encloses the smallest epsilon that holds in both directions at delta in (0, 1).
  numerics::Enclosure epsilon(double delta) const;

  const ShuffleGaussianPair& pair() const { return pair_; }

 private:
  ShuffleGaussianPair pair_;
};

}  // namespace muster::accounting
