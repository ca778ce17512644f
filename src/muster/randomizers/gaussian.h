// The randomizer gaussian sends the vector, clipped to the norm C, plus exactly normal noise of standard
// deviation sigma C per coordinate, rounded to a public grid.
//
// The clipped vector is the gradient times a float, computed without rounding, so its exact norm is at most C
// (clip.h). A coordinate of the message is the integer number of steps nearest to the clipped coordinate plus
// sigma C N, where the normal N has no numerical error (random/exact_normals.h). It is clamped to the range
// of the message's bits. Rounding and clamping come after the noise and are the same for all clients. So they
// are post-processing, and the privacy profile is at most that of the Gaussian mechanism
// (docs/theory/exact-gaussian.md). sigma C is rounded up to a double.
//
// On every vector target, a message is the same function of the clipped vector, the key and the stream
// address. The clipped vector is the same on all targets with fused multiply-add. The functions are pure, and
// a randomizer is immutable and may be shared between threads (randomizer.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "muster/randomizers/randomizer.h"

namespace muster::randomizers {

// The noise has the standard deviation sigma * clip per coordinate. Throws Error(plan) unless sigma is in
// [2^-12, 1e9], clip in [1e-20, 1e20] and dimension in [1, 2^31).
std::unique_ptr<VectorRandomizer> make_gaussian(double sigma, double clip, std::size_t dimension);

// The grid of the messages, which depends on the parameters only. gaussian_grid throws Error(plan) for the
// same arguments as make_gaussian.
struct GaussianGrid {
  double step;       // a power of two, in (sigma C / 128, sigma C / 64]
  double deviation;  // standard deviation of the noise, in steps; in [64, 128)
  // Bits per coordinate. The largest value, 2^(bits - 1) - 1, is at least eight deviations beyond the clip
  // norm.
  unsigned bits;
};
GaussianGrid gaussian_grid(double sigma, double clip, std::size_t dimension);

}  // namespace muster::randomizers
