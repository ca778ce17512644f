// The answers of n clients of k-rr: the true counts, and draws of how many are replaced and by what.
//
// Of the n_j clients of a category, Binomial(n_j, w) are replaced; each replaced answer, and each client
// without a category, takes a uniform one. Binomials and uniform integers are sampled exactly, with the w
// that the messages' own coin has (k_rr.h): the law is exactly that of n messages.
#pragma once

#include <cstdint>
#include <memory>

#include "muster/randomizers/sum_sampler.h"

namespace muster::randomizers {

// The ranges of make_k_rr.
std::unique_ptr<SumSampler> make_k_rr_sum(double epsilon0, std::uint64_t k);

}  // namespace muster::randomizers
