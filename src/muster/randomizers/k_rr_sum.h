// The sum of the answers of n clients of k-rr, drawn from the true counts: how many answers are
// replaced, and by what.
//
// Of the n_j clients of category j, Binomial(n_j, w) are replaced. Each replaced answer, and that of each
// client without a category, is uniform. Binomials and uniform integers are sampled exactly, with the
// same w as the coin of single messages (k_rr.h), so the law is exactly that of the sum of n messages.
#pragma once

#include <cstdint>
#include <memory>

#include "muster/randomizers/sum_sampler.h"

namespace muster::randomizers {

// The ranges of make_k_rr apply.
std::unique_ptr<SumSampler> make_k_rr_sum(double epsilon0, std::uint64_t k);

}  // namespace muster::randomizers
