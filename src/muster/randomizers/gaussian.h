// gaussian: g min(1, C/|g|) + N(0, (sigma C)^2 I), rounded to a public grid.
//
// Clipping comes last before the noise and leaves a norm of at most C after every rounding; the rounding to
// the grid follows the noise by one map common to all clients, so it is post-processing (docs/theory: what
// the theorems need from the implementation). The deviation is raised by 2^-20 against rounding.
//
// Not promised: the normals are single-precision (normals.h), so a message has the exact discretised law only
// up to their resolution, and no total variation distance to it is charged to delta.
#pragma once

#include <cstddef>
#include <memory>

#include "muster/randomizers/randomizer.h"

namespace muster::randomizers {

// sigma in [2^-12, 1e9] (deviation sigma * clip a coordinate), clip in [1e-20, 1e20], 1 <= dimension < 2^31,
// else Error(plan).
std::unique_ptr<VectorRandomizer> make_gaussian(double sigma, double clip, std::size_t dimension);

// The messages' grid, and the deviation of the noise in its steps: a function of the parameters alone. The
// same ranges.
struct GaussianGrid {
  double step;
  float deviation;
};
GaussianGrid gaussian_grid(double sigma, double clip, std::size_t dimension);

}  // namespace muster::randomizers
