// Makes a privacy profile on a lattice of losses convex and turns it into the law of the loss of a dominating
// or dominated pair (dominating_pair.h). The code computes with ln alpha, so alpha cannot overflow.
//
// Let h be the spacing. The profile at alpha = e^{ih} is stored as its value f(alpha) for i >= 0. For i < 0
// it is stored as r(1/alpha), where r is the profile of the pair with P and Q exchanged:
//     f(alpha) = 1 - alpha + alpha r(1/alpha).
// The map from f to r is projective, so it maps lines to lines, and a point above a chord of f to a point
// above a chord of r. The values of f are small right of alpha = 1, and those of r left of it, so what is
// stored loses no digits. Take a cell of width w in ln alpha, with the values f at its left end and f' at its
// right end. The slope of its chord in alpha, multiplied by alpha at the left end, is (f' - f) / (e^w - 1).
// Multiplied by alpha at the right end, it is (f' - f) / (1 - e^{-w}). So the P-mass of a kink, which is
// alpha times the change of slope, can be computed without alpha. Pure functions; call from any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/numerics/sums/atomic_law.h"

namespace muster::accounting {

// A node of the profile: `value` is f for index >= 0 and r for index < 0. At index 0, f and r are equal.
struct ProfilePoint {
  std::int64_t index;
  long double value;
};

// The nodes of the greatest convex minorant of the points, whose indices increase and include 0.
std::vector<ProfilePoint> lower_convex_hull(double spacing, const std::vector<ProfilePoint>& points);

// The law under P of the loss of a pair whose profile is convex and piecewise linear. Left of the first node,
// the profile is the straight line to the value 1 at alpha = 0. Right of the last node it is constant; its
// value there is the mass at infinite loss.
struct LossLaw {
  numerics::AtomicLaw losses;  // nonzero losses; the rest of the mass, besides `infinity`, is at zero loss
  double infinity;             // P-mass at infinite loss
  double shift = 0;            // added to every loss, including zero
  // The lattice of the losses is this many times as fine as the profile's.
  int finer = 1;
};

// The law of the profile with the nodes `hull`, rounded towards larger losses (`above`) or towards smaller
// losses. Throws Error(internal) if nodes are out of order, or if a value is negative, NaN, or above 1 by
// more than rounding explains. If the sum of the masses differs from 1 by more than rounding explains, the
// law is still a bound, but may be trivial. In that case, a law from above has the missing mass at infinite
// loss, or all mass if the sum is too large. A law from below has no losses.
LossLaw losses_of(double spacing, const std::vector<ProfilePoint>& hull, bool above);

// The same as losses_of() from above, with a check against defects: the law's own profile is computed at
// every point of `required` with index >= 0. If it is too small somewhere by more than the rounding of this
// check explains (a relative 1e-12), the largest difference is added to the mass at infinite loss.
LossLaw losses_dominating(double spacing, const std::vector<ProfilePoint>& hull,
                          const std::vector<ProfilePoint>& required);

}  // namespace muster::accounting
