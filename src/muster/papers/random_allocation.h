// Computes the exact cost of random allocation: a client's contribution goes into one of t slots, chosen
// uniformly and secretly, and every slot is released with its own server noise.
//
// A slot's release is the sum of what the clients contribute to it, plus Gaussian noise of deviation s. The
// client's contribution has norm at most Delta, and all t releases are seen. Neighbouring relation: ZERO-OUT
// (the client's record against a contribution of zero), not replace-one. After subtracting what the others
// contribute, t independent normals are left, and the mean of one of them, chosen uniformly, is shifted by
// Delta. The likelihood ratio of this law to the law without a shift is the average of t independent
// lognormals. So the curve is exactly that of shuffle_gaussian_pair.h with n = t and mu = Delta / s, in both
// directions. Source: Feldman, Shenfeld, "Efficient privacy loss accounting for subsampling and random
// allocation" (2026, arXiv:2602.17284v1). Upper and lower ends are PROVEN, because the worst case is
// attained. The slots' counts and the assignment must stay secret. The page is
// docs/theory/random-allocation.md. May be called from any thread.
#pragma once

#include <cstdint>

#include "muster/accounting/theorems/exact/shuffle_gaussian_pair.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

class RandomAllocation {
 public:
  // slots >= 1; mu > 0 is the norm of the contribution divided by the deviation of a slot's noise.
  RandomAllocation(std::uint64_t slots, double mu) : pair_(slots, mu) {}

  // The exact divergence at epsilon >= 0, the larger one of the two directions.
  numerics::Enclosure delta(double epsilon) const;
  // Encloses the exact epsilon at delta in (0, 1), the smallest one that holds in both directions.
  numerics::Enclosure epsilon(double delta) const;

  const ShuffleGaussianPair& pair() const { return pair_; }

 private:
  ShuffleGaussianPair pair_;
};

}  // namespace muster::accounting
