// The sum of n messages of the gaussian randomizer, drawn at once: the sum of the clipped vectors plus one
// exact normal per coordinate, rounded to the messages' grid.
//
// Clip norm and grid are those of gaussian.h. The normal's standard deviation, in steps, is sqrt(n s^2 + (n -
// 1) / 12), where s is that of one message's noise. Rounding the sum adds a variance of 1/12, so the total
// variance is that of n messages, each rounded. The clipped coordinates are added as integer multiples of a
// step of at most C 2^-25, where C is the clip norm. So the average, which is the sum divided by n, may have
// an expectation that differs from that of n messages' average by at most half such a step per coordinate.
// Messages are clamped at least eight deviations beyond the clip norm, but the sum is not clamped. The
// function is pure, and a sampler is immutable and may be shared between threads (sum_sampler.h).
#pragma once

#include <cstddef>
#include <memory>

#include "muster/randomizers/sum_sampler.h"

namespace muster::randomizers {

// Throws Error(plan) for the same arguments as make_gaussian.
std::unique_ptr<SumSampler> make_gaussian_sum(double sigma, double clip, std::size_t dimension);

}  // namespace muster::randomizers
