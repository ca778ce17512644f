// laplace: one number of [-C, C] with Laplace noise of scale 2 C / epsilon0, on a grid, sampled exactly.
//
// The number is clamped, then rounded to a multiple of the step s up or down at random, without bias: an
// integer X in [-M, M], M = ceil(C / s). The message is X + Z with P(|Z| >= z) = e^(-(2z - 1)/t) for z >= 1
// and a fair sign. That is continuous Laplace noise of scale t/2 rounded to the nearest integer: X + round(L)
// = round(X + L), since X is an integer. So the message is a function of X + L, and as |X - X'| <= 2 M and t
// >= 4 M / epsilon0, its profile is at most that of Laplace noise on an interval of length 2 M with parameter
// 4 M / t <= epsilon0: what accounting::LaplaceLocal charges. The random rounding is a mixture of integers,
// which no hockey-stick divergence grows by. Z is drawn by integer comparisons alone (exact_discrete.h): no
// rounded probability enters. So the law that is charged is the law that is sent: nothing is left to charge
// but the stream's pseudorandomness. The coin of the rounding is a multiple of 2^-64 and need not be fair:
// any mixture will do.
#pragma once

#include <cstdint>
#include <memory>

#include "muster/randomizers/randomizer.h"

namespace muster::randomizers {

// Of dimension 1. epsilon0 in [2^-16, 700], clip in [1e-20, 1e20], else Error(plan).
std::unique_ptr<VectorRandomizer> make_laplace(double epsilon0, double clip);

// The grid: public, a function of the parameters alone.
struct LaplaceGrid {
  double step;               // s, a power of two
  std::uint64_t half_range;  // M
  std::uint64_t scale;       // t, in half steps
};
LaplaceGrid laplace_grid(double epsilon0, double clip);

}  // namespace muster::randomizers
