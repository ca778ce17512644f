// The sum of n messages of the gaussian randomizer: the exact sum of the clipped vectors and one normal of
// deviation sqrt(n) sigma C a coordinate, rounded to the messages' grid.
//
// Clip, grid and the margin of the deviation are those of gaussian.h. The clipped coordinates are added as
// whole multiples of a step of at most C 2^-25. Against n messages: the mean may be off by half that step a
// coordinate; the rounding of n messages adds n/12 squared steps to the variance where this adds 1/12, a part
// of 2^-35 or less; and a normal is cut at 6.67 deviations of the sum, not of a message.
#pragma once

#include <cstddef>
#include <memory>

#include "muster/randomizers/sum_sampler.h"

namespace muster::randomizers {

// The ranges of make_gaussian.
std::unique_ptr<SumSampler> make_gaussian_sum(double sigma, double clip, std::size_t dimension);

}  // namespace muster::randomizers
