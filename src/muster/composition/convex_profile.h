// Makes a privacy profile on a lattice of losses convex and turns it into a law of the loss, which is that of
// a dominating or a dominated pair (dominating_pair.h). The arithmetic is in ln alpha, so that no loss is too
// large for it.
//
// The profile f(alpha) at alpha = e^{ih}, h being the spacing, is kept on two sides of alpha = 1: for i >= 0
// as its value f, for i < 0 as the value r of the profile of the pair with its records exchanged, f(alpha) =
// 1 - alpha + alpha r(1/alpha). The change from f to r is projective and keeps straight lines straight. So a
// point that is above a chord in terms of f is so in terms of r, and each side uses the one in which no
// digits are lost. Take a cell of width w in ln alpha, with the values f at its left end and f' at its right
// end. The slope of its chord in alpha, multiplied by the left end's alpha, is (f' - f) / (e^w - 1);
// multiplied by the right end's alpha, it is (f' - f) / (1 - e^{-w}). So the P-mass of a kink, which is alpha
// times the change of slope, can be computed without alpha. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/numerics/sums/atomic_law.h"

namespace muster::accounting {

// One node: `value` is f for index >= 0 and r for index < 0; at index 0 both are equal.
struct ProfilePoint {
  std::int64_t index;
  long double value;
};

// The nodes of the greatest convex minorant of the points, whose indices increase and include 0.
std::vector<ProfilePoint> lower_convex_hull(double spacing, const std::vector<ProfilePoint>& points);

// The law of the loss under P that a convex, piecewise linear profile has. Left of the first node the profile
// is the straight line to its value 1 at alpha = 0. Right of the last node it is constant; the value there is
// the mass at infinite loss.
struct LossLaw {
  numerics::AtomicLaw losses;  // nonzero losses; the mass at zero loss is what these and infinity leave of 1
  double infinity;
  double shift = 0;  // added to every loss, zero among them
  // The losses' lattice is this many times as fine as the profile's.
  int finer = 1;
};

// Rounds towards larger losses (`above`) or towards smaller ones. Throws Error(internal) for points that are
// out of order or have values outside [0, 1]. If the masses fail to sum to 1 by more than rounding explains,
// the result is still valid, and useless at worst: from above, what is missing is added to infinity, and if
// the sum is too large all mass is at infinity; from below, no losses are returned.
LossLaw losses_of(double spacing, const std::vector<ProfilePoint>& hull, bool above);

// The same as losses_of() from above, and checked: the law's own profile is recomputed at every point of
// `required` with index >= 0. The most by which it falls short of the value there is added to the mass at
// infinity.
LossLaw losses_dominating(double spacing, const std::vector<ProfilePoint>& hull,
                          const std::vector<ProfilePoint>& required);

}  // namespace muster::accounting
