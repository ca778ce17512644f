// The sum of n messages of the gaussian randomizer, drawn as the sum of the clipped vectors plus one true
// normal per coordinate, rounded to the messages' grid.
//
// Clip and grid are those of gaussian.h, and the normal is as exact. The normal's deviation, in steps, is
// sqrt(n s^2 + (n - 1) / 12), where s is that of one message's noise. The rounding of the sum adds 1/12, so
// the variance is that of n messages, each rounded. The clipped coordinates are added as integer multiples of
// a step of at most C 2^-25, C being the clip norm, so the mean may differ from that of n messages by half
// that step per coordinate. Messages are clamped at least eight deviations beyond the clip; the sum is not.
#pragma once

#include <cstddef>
#include <memory>

#include "muster/randomizers/sum_sampler.h"

namespace muster::randomizers {

// The ranges of make_gaussian apply.
std::unique_ptr<SumSampler> make_gaussian_sum(double sigma, double clip, std::size_t dimension);

}  // namespace muster::randomizers
