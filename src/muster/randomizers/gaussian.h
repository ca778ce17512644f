// gaussian: the clipped vector plus a true normal of deviation sigma C a
// coordinate, rounded to a public grid.
//
// The clipped vector is the gradient times a float, without rounding: its exact norm is at most C (clip.h). A
// coordinate of the message is the whole number of steps next to clipped + sigma C N, for a normal N without
// any error (random/exact_normals.h), cut to what the message has bits for. Both follow the noise by one map
// common to all clients, so they are post-processing, and the profile is that of the Gaussian itself
// (docs/theory/exact-gaussian.md). sigma C is rounded up to a double.
//
// A message's bits depend on the clipped vector, the key and the address alone, on every vector target; so
// does the clipped vector once the gradient is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "muster/randomizers/randomizer.h"

namespace muster::randomizers {

// sigma in [2^-12, 1e9] (deviation sigma * clip a coordinate), clip in [1e-20, 1e20], 1 <= dimension < 2^31,
// else Error(plan).
std::unique_ptr<VectorRandomizer> make_gaussian(double sigma, double clip, std::size_t dimension);

// The messages' grid, a function of the parameters alone. The same ranges.
struct GaussianGrid {
  double step;       // a power of two, from sigma C / 128 to sigma C / 64
  double deviation;  // of the noise in steps: 64 to 128
  unsigned
      bits;  // of a coordinate: the largest, 2^(bits - 1) - 1, is eight deviations or more beyond the clip
};
GaussianGrid gaussian_grid(double sigma, double clip, std::size_t dimension);

}  // namespace muster::randomizers
