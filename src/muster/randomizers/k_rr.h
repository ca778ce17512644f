// The randomizer k-rr is k-ary randomized response (Warner 1965; Kairouz, Bonawitz, Ramage, "Discrete
// distribution estimation under local privacy", 2016), for histograms.
//
// A client's vector is the indicator of its category among k. With probability w = k / (e^epsilon0 + k - 1)
// the category is replaced, before it is sent, by one drawn uniformly from all k. So the true category is
// e^epsilon0 times as probable as any other one. A message has log2(k) bits, rounded up. An answer is decoded
// to (indicator of the answer - w/k in every entry) / (1 - w), an unbiased estimate of the client's
// indicator. A client without a category has the zero vector and sends a uniform answer; the mean of its
// estimate is 1/k in every entry. The functions are pure, and a randomizer is immutable and may be shared
// between threads (randomizer.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "muster/random/samplers.h"
#include "muster/randomizers/randomizer.h"

namespace muster::randomizers {

// How often an answer is replaced. `probability` is w, rounded up to a multiple of 2^-64, so that (1 - w) k /
// w + 1 <= e^epsilon0 holds for the rounded w. `kept` is 1 - w for the same w, which keeps the estimate
// unbiased.
struct Replacement {
  random::Probability probability;
  double kept;
};

// Throws Error(plan) unless epsilon0 is in [1e-9, 700] and k in [2, 2^31).
Replacement replacement_of(double epsilon0, std::uint64_t k);

// Throws Error(plan) for the same arguments as replacement_of. randomize() of the result throws Error(data)
// for a vector that is neither an indicator nor zero.
std::unique_ptr<VectorRandomizer> make_k_rr(double epsilon0, std::uint64_t k);

// Returns the category that the vector indicates, or the vector's size if the vector is zero. Throws
// Error(data) for any other vector.
std::size_t category_of(std::span<const float> indicator);

}  // namespace muster::randomizers
