// The Gaussian's likelihood ratio as atoms, bracketed in convex order.
//
// For two spherical Gaussians at distance mu (in noise deviations) the ratio r = dR(x)/dR(x') at a message of
// R(x') is lognormal: r = e^{mu z - mu^2/2}, z standard normal, mean 1. On increasing knots
//   above: every cell's mass is split between its two knots, mean kept; what is cut off at the ends is
//          returned as an excess, to be added once to a stop-loss transform.
//   below: every cell is merged to its mean (two infinite end cells included).
// Masses come from Gauss-Legendre panels of positive terms in extended precision: each is right to a relative
// 1e-17 before it is rounded to double, with no difference of tails. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "muster/numerics/sums/atomic_law.h"
#include "muster/numerics/sums/sum_by_doubling.h"

namespace muster::accounting {

// Atoms of r itself; knots > 0 increasing. The one-copy law that sum_by_doubling starts from.
numerics::SumLaw lognormal_ratio(double mu, const std::vector<double>& knots, numerics::Side side);

// Knots of r - 1 for CenteredLognormal: r = e^{+-mu x}, `per_deviation` to a unit of x up to x = 12 (beyond
// the mean's own shift), wider where a cell is small against the deviation of r or the mass is; r between
// e^-20 and e^600.
std::vector<double> centered_knots(double mu, int per_deviation);

// Atoms of r - 1 for numerics::expected_excess, knots > -1 increasing and containing 0, which stays implicit. The
// law can be cut at every knot afterwards.
class CenteredLognormal {
 public:
  CenteredLognormal(double mu, const std::vector<double>& knots);

  // r held between two knots, then split. For S a sum of n copies and k >= 0:
  //   E(S - k)_+ <= that of the cut law + n * excess_right,
  //   E(k - S)_+ <= that of the cut law + n * excess_left.
  struct Cut {
    numerics::AtomicLaw law;
    double excess_left;   // E(lowest knot - (r - 1))_+
    double excess_right;  // E(r - 1 - highest knot)_+
  };
  // The innermost knots whose excess is at most `tail`, or the outermost.
  Cut above(double tail) const;
  // Merged, the ends beyond the same knots too; points are rounded down (`lower_points`: for calls) or up
  // (for puts), so that Jensen keeps its side.
  numerics::AtomicLaw below(double tail, bool lower_points) const;

 private:
  struct Range {
    std::size_t low, high;
  };
  Range range(double tail) const;

  double mu_;
  std::vector<double> knots_;
  std::vector<double> left_, right_;      // masses of cell i that go to knot i and to knot i + 1
  std::vector<long double> mean_, mass_;  // of cell i, merged
};

}  // namespace muster::accounting
