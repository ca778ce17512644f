// The law of a sum of n independent copies of a nonnegative variable, bracketed in convex order by doubling.
//
// A law is kept as at most one atom per cell, a cell being the interval between two knots. The caller chooses
// the knots, closer together where the sum is dense. Each convolution multiplies masses pair by pair and then
// brings the sums back to at most one atom per cell:
//   above: a sum between two knots is split between them with the same mean, so the expectation of every
//          convex function grows. A sum beyond the last knot is moved down to it, and the mean that this
//          takes away is kept as `excess`.
//   below: all sums in a cell are merged at their mean, so the expectation of every convex function falls
//          (Jensen).
// Adding independent variables preserves convex order, so the sum of n copies is bracketed by log2 n
// doublings and at most as many additions. All terms are positive, so even a very small mass has a small
// relative error. This is needed in the far tails of heavy-tailed laws, where the integrand of
// expected_excess.h hardly decays. Each atom of one law, of mass p, is paired with the atoms of the other law
// except the outermost ones: on each side, those whose total mass is at most 1e-46 / p are left out. `above`
// adds a bound on what these pairs contribute. Reference: docs/theory/shuffle-gaussian.md, "Numerics". Pure
// functions; call from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "muster/numerics/side.h"

namespace muster::numerics {

struct SumLaw {
  std::vector<double> points;  // the atoms' points, >= 0, increasing
  std::vector<double> masses;  // the atoms' masses
  double excess = 0;           // for Side::above: E(S - k)_+ is at most that of the atoms plus this
  double dropped = 0;          // an upper bound of the mass that the atoms leave out
  double point_error = 0;      // a bound on the relative round-off error of a point
  double mass_error = 0;       // a bound on the relative round-off error of a mass

  // Bounds on E(S - k)_+ and E(k - S)_+ for k >= 0. `side` must be the side that the law was made with:
  // Side::above gives an upper bound, Side::below a lower bound.
  double expected_excess(double k, Side side) const;
  double expected_deficit(double k, Side side) const;
};

// Returns increasing knots for the sum of `copies` copies; the first must be 0.
using Knots = std::function<std::vector<double>(double copies)>;

// Brings a law with increasing points to the given knots: at most one atom per cell, as after a convolution.
SumLaw gathered(const SumLaw& law, Side side, const std::vector<double>& knots);

// A law that is above or below the law of the sum of n >= 1 independent copies of `one` in convex order, as
// `side` says.
SumLaw sum_by_doubling(const SumLaw& one, std::uint64_t n, Side side, const Knots& knots);

}  // namespace muster::numerics
