// gaussian: the vector, clipped to the norm C, plus true normal noise of deviation sigma C per coordinate,
// rounded to a public grid.
//
// The clipped vector is the gradient times a float, computed without rounding, so its exact norm is at
// most C (clip.h). A coordinate of the message is the integer number of steps nearest to the clipped
// coordinate plus sigma C N, where N is a normal without any numerical error (random/exact_normals.h). It is
// clamped to the message's number of bits. Rounding and clamping come after the noise and are the same for
// all clients, so they are post-processing, and the privacy profile is at most that of the Gaussian itself
// (docs/theory/exact-gaussian.md). sigma C is rounded up to a double.
//
// A message is the same function of the clipped vector, the key and the stream address on every vector
// target. The clipped vector is a function of the gradient, the same on all targets with fused multiply-add.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "muster/randomizers/randomizer.h"

namespace muster::randomizers {

// sigma must lie in [2^-12, 1e9] (the deviation per coordinate is sigma * clip), clip in [1e-20, 1e20]
// and dimension in [1, 2^31), else Error(plan).
std::unique_ptr<VectorRandomizer> make_gaussian(double sigma, double clip, std::size_t dimension);

// The grid of the messages, a function of the parameters alone. The same ranges apply.
struct GaussianGrid {
  double step;       // a power of two, in (sigma C / 128, sigma C / 64]
  double deviation;  // of the noise, in steps: in [64, 128)
  // Bits per coordinate: the largest value, 2^(bits - 1) - 1, is at least eight deviations beyond the clip.
  unsigned bits;
};
GaussianGrid gaussian_grid(double sigma, double clip, std::size_t dimension);

}  // namespace muster::randomizers
