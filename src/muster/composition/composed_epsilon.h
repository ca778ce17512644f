// Upper and lower bounds on the epsilon at which the composition of rounds with known losses has a given
// delta.
//
// First, contour integrals (composed_delta.h) with little work are tried on the given lattice and on a
// coarser one (coarser_lattice.h), then integrals with more work on both. If all of them take too much work
// or are too inaccurate, the law of the sum is computed by convolution (convolved_near.h). Pure functions;
// call from any thread.
#pragma once

#include <span>

#include "muster/composition/composed_delta.h"

namespace muster::accounting {

// An upper bound on the least epsilon >= 0 at which delta is at most `target`; infinity if the probability of
// an infinite loss is larger than `target`.
double composed_epsilon_upper(std::span<const RepeatedLoss> parts, double spacing, double target);

// An upper bound on delta at `epsilon` by the coarser lattice or the convolution that the search for the
// epsilon of `target` uses. If the integral on the given lattice takes too much work, this bound can be
// smaller than that of composed_delta(), which chooses a lattice and cells for `epsilon`.
double composed_delta_as_searched(std::span<const RepeatedLoss> parts, double spacing, double target,
                                  double epsilon);

// A lower bound on the least epsilon >= 0 at which delta is at most `target`; 0 if nothing better is known.
double composed_epsilon_lower(std::span<const RepeatedLoss> parts, double spacing, double target);

}  // namespace muster::accounting
