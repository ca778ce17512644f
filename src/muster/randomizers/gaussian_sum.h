// The sum of n messages of the gaussian randomizer: the sum of the clipped vectors and one true normal a
// coordinate, rounded to the messages' grid.
//
// Clip and grid are those of gaussian.h, and so is the normal: its deviation in steps is sqrt(n s^2 + (n - 1)
// / 12), s that of a message, so that its own rounding, 1/12, makes the variance that of n messages with
// theirs. The clipped coordinates are added as whole multiples of a step of at most C 2^-25: against n
// messages the mean may be off by half that step a coordinate. Nor is the sum cut where messages are, beyond
// eight deviations.
#pragma once

#include <cstddef>
#include <memory>

#include "muster/randomizers/sum_sampler.h"

namespace muster::randomizers {

// The ranges of make_gaussian.
std::unique_ptr<SumSampler> make_gaussian_sum(double sigma, double clip, std::size_t dimension);

}  // namespace muster::randomizers
