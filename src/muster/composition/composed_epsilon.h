// The epsilon at which the composition of rounds of known losses reaches a delta, from
// above and from below.
//
// A contour integral (composed_delta.h) answers where it is short. Where it is not, or its error is too
// large, one on a coarser lattice (coarser_lattice.h) is tried, and then both with more work. If all fail,
// the law of the sum is convolved for this delta (convolved_near.h). Pure functions; call from any thread.
#pragma once

#include <span>

#include "muster/composition/composed_delta.h"

namespace muster::accounting {

// The least epsilon >= 0 whose delta's upper end is at most `target`; infinity if the mass at infinite loss
// alone is larger than `target`.
double composed_epsilon_upper(std::span<const RepeatedLoss> parts, double spacing, double target);

// The largest epsilon >= 0 whose delta's lower end is at least `target`; 0 when there is none.
double composed_epsilon_lower(std::span<const RepeatedLoss> parts, double spacing, double target);

}  // namespace muster::accounting
