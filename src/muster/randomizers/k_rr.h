// k-rr: k-ary randomized response (Warner 1965; Kairouz, Bonawitz, Ramage, "Discrete distribution estimation
// under local privacy", 2016), for histograms.
//
// A client's vector is the indicator of its category among k. With probability
// w = k / (e^epsilon0 + k - 1) the category is replaced by a uniform one of all k before it is sent, so
// the true category is e^epsilon0 times as probable as each other one. A message has log2(k) bits, rounded
// up. An answer is decoded to (its indicator - w/k in every entry) / (1 - w), an unbiased estimate of the
// client's indicator. A client without a category has the vector 0 and sends a uniform answer, as if it had
// drawn its category uniformly; the mean of its estimate is 1/k in every entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "muster/random/samplers.h"
#include "muster/randomizers/randomizer.h"

namespace muster::randomizers {

// How often an answer is replaced. `probability` is w as a multiple of 2^-64, rounded up, so that (1 - w)
// k / w + 1 <= e^epsilon0 holds for the coin that is actually tossed. `kept` is 1 - w of the same coin,
// which keeps the estimate unbiased.
struct Replacement {
  random::Probability probability;
  double kept;
};

// epsilon0 must lie in [1e-9, 700] and k in [2, 2^31), else Error(plan).
Replacement replacement_of(double epsilon0, std::uint64_t k);

// The same ranges apply. A vector that is neither an indicator nor 0 is Error(data).
std::unique_ptr<VectorRandomizer> make_k_rr(double epsilon0, std::uint64_t k);

// The category that the vector indicates, or the vector's size for the vector 0. Any other vector is
// Error(data).
std::size_t category_of(std::span<const float> indicator);

}  // namespace muster::randomizers
