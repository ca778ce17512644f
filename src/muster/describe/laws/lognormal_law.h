// Represents the Gaussian's likelihood ratio by atoms that bracket it in convex order.
//
// For two spherical Gaussians at distance mu, in deviations of the noise, the ratio r = dR(x)/dR(x') at a
// message of R(x') is lognormal: r = e^{mu z - mu^2/2} with z standard normal, so its mean is 1. Given
// increasing knots, a cell is the interval between two neighbouring knots, and there are two laws.
//   above: every cell's mass is split between its two knots, with its mean kept. The part cut off at the ends
//          is returned as an excess, by which a stop-loss transform must be raised once for every copy of r.
//   below: every cell is merged to its mean, and so are the two infinite cells at the ends.
// Masses come from Gauss-Legendre panels of positive terms in extended precision. Because no difference of
// tails is taken, each mass has a relative error of 1e-17 before it is rounded to double. The functions are
// pure and may be called from any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "muster/numerics/sums/atomic_law.h"
#include "muster/numerics/sums/sum_by_doubling.h"

namespace muster::accounting {

// Returns atoms of r itself, for increasing knots > 0. sum_by_doubling starts from this law of one copy.
numerics::SumLaw lognormal_ratio(double mu, const std::vector<double>& knots, numerics::Side side);

// Returns knots of r - 1 for CenteredLognormal, at r = e^{-mu x} and r = e^{mu x} for increasing x, with
// `per_deviation` knots per unit of x near 0. They reach to about x = 12 below r = 1 and to about x = 12 + mu
// above, but not below r = e^-20 and not far above r = e^600. Cells grow wider with x: far below r = 1 they
// are small against the deviation of r, and far above they hold little mass.
std::vector<double> centered_knots(double mu, int per_deviation);

// Computes atoms of r - 1 for numerics::expected_excess(). The knots are increasing, above -1, and include 0,
// whose mass an AtomicLaw keeps implicitly. The law can later be cut at any knot.
class CenteredLognormal {
 public:
  CenteredLognormal(double mu, const std::vector<double>& knots);

  // In this law, r - 1 is clamped to the interval between two of the knots, and then each cell's mass is
  // split. Let S be a sum of n copies of r - 1, and S' one of n copies of the cut law. For any k,
  //   E(S - k)_+ <= E(S' - k)_+ + n * excess_right,
  //   E(k - S)_+ <= E(k - S')_+ + n * excess_left.
  struct Cut {
    numerics::AtomicLaw law;
    double excess_left;   // E(lowest knot - (r - 1))_+
    double excess_right;  // E(r - 1 - highest knot)_+
  };
  // Cuts at the innermost knots whose excess is at most `tail`, or at the outermost knots if there are no
  // such knots.
  Cut above(double tail) const;
  // Every cell is merged to its mean, and so is each end beyond the knots at which above() would cut. By
  // Jensen's inequality this gives lower bounds. Points are rounded down if `lower_points` (for an expected
  // excess), and up otherwise (for an expected deficit), so that they stay lower bounds.
  numerics::AtomicLaw below(double tail, bool lower_points) const;

 private:
  struct Range {
    std::size_t low, high;
  };
  Range range(double tail) const;

  double mu_;
  std::vector<double> knots_;
  std::vector<double> left_, right_;      // masses of cell i that go to knot i and to knot i + 1
  std::vector<long double> mean_, mass_;  // mean and mass of cell i
};

}  // namespace muster::accounting
