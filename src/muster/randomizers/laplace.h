// The randomizer laplace sends one number in [-C, C] plus Laplace noise of scale 2 C / epsilon0. The noise
// lies on a grid and is sampled exactly.
//
// The number is clamped, then rounded at random and without bias to a multiple X s of the step s, where X is
// an integer in [-M, M] and M = ceil(C / s). The message is X + Z with P(|Z| >= z) = e^(-(2z - 1)/t) for z >=
// 1, where the sign of Z is fair and t is an integer >= 4 M / epsilon0. Z is continuous Laplace noise L of
// scale t/2, rounded to the nearest integer. X + round(L) = round(X + L), because X is an integer, so the
// message is a function of X + L. The integers X of two records differ by at most 2 M. So the message's
// privacy profile is at most that of Laplace noise on an interval of length 2 M with parameter 4 M / t <=
// epsilon0, which is what accounting::LaplaceLocal charges. The random rounding mixes messages of different
// X, and mixing increases no hockey-stick divergence.
//
// Z is drawn by integer comparisons only (random/exact_discrete.h), without rounded probabilities. So Z has
// exactly the law that the accountant charges, up to the pseudorandomness of the stream. The probability of
// rounding X up is a multiple of 2^-64. It need not be exact, because any mixture is as private. The
// functions are pure, and a randomizer is immutable and may be shared between threads (randomizer.h).
#pragma once

#include <cstdint>
#include <memory>

#include "muster/randomizers/randomizer.h"

namespace muster::randomizers {

// The dimension is 1. Throws Error(plan) unless epsilon0 is in [2^-16, 700] and clip in [1e-20, 1e20].
std::unique_ptr<VectorRandomizer> make_laplace(double epsilon0, double clip);

// The public grid of the messages, which depends on the parameters only. laplace_grid throws Error(plan) for
// the same arguments as make_laplace.
struct LaplaceGrid {
  double step;               // s, a power of two
  std::uint64_t half_range;  // M = ceil(C / s)
  std::uint64_t scale;       // t; the noise has scale t/2, in steps
};
LaplaceGrid laplace_grid(double epsilon0, double clip);

}  // namespace muster::randomizers
