// The sum of the answers of n clients of k-rr, drawn at once from the true counts of the categories.
//
// Of the n_j clients of category j, Binomial(n_j, w) are replaced. Each replaced answer is uniform, and so is
// the answer of each client without a category. Binomials and uniform integers are sampled exactly, with the
// same rounded w as for single messages (k_rr.h), so the law is exactly that of the sum of n messages. The
// function is pure, and a sampler is immutable and may be shared between threads (sum_sampler.h).
#pragma once

#include <cstdint>
#include <memory>

#include "muster/randomizers/sum_sampler.h"

namespace muster::randomizers {

// Throws Error(plan) unless epsilon0 is in [1e-9, 700] and k in [2, 2^31).
std::unique_ptr<SumSampler> make_k_rr_sum(double epsilon0, std::uint64_t k);

}  // namespace muster::randomizers
