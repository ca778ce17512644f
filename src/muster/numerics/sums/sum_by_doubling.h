// The law of a sum of n independent copies of a nonnegative variable, bracketed in convex order by doubling.
//
// A law is kept as atoms on knots whose spacing is the caller's, finer where the sum is dense. Each
// convolution multiplies masses pair by pair and then brings the sums back to at most one atom a cell:
//   above: a sum between two knots is split between them, mean kept: every convex function's expectation
//          grows. What passes the last knot is moved down to it, and how much that takes away is kept as
//          `excess`.
//   below: all sums of a cell are merged to their mean: every convex function's expectation falls (Jensen).
// Convex order survives independent sums, so n copies cost log2 n squarings and at most as many additions.
// All terms are positive, so every mass is accurate relative to itself, however small: that is what the far
// tails of heavy laws need, where the contour integral of expected_excess.h hardly decays. Pairs of masses whose
// product is below 1e-46 are left out; `above` charges them outward. Reference:
// docs/theory/shuffle-gaussian.md, "Numerics". Pure functions; call from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "muster/numerics/side.h"

namespace muster::numerics {

struct SumLaw {
  std::vector<double> points;  // >= 0, increasing
  std::vector<double> masses;  // same length
  double excess = 0;           // above: E(S - k)_+ is at most the atoms' own plus this
  double dropped = 0;          // mass left out of the atoms
  double point_error = 0;      // relative error of a point, from round-off
  double mass_error = 0;       // relative error of a mass

  // E(S - k)_+ and E(k - S)_+, k >= 0, of the law bracketed: an upper bound if the law is `above`, a lower
  // one if it is `below`.
  double expected_excess(double k, Side side) const;
  double expected_deficit(double k, Side side) const;
};

// Increasing knots for the sum of `copies` copies; the first must be 0.
using Knots = std::function<std::vector<double>(double copies)>;

// One law on knots; its points in increasing order.
SumLaw gathered(const SumLaw& law, Side side, const std::vector<double>& knots);

// n >= 1 copies of `one`.
SumLaw sum_by_doubling(const SumLaw& one, std::uint64_t n, Side side, const Knots& knots);

}  // namespace muster::numerics
