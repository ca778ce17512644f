// A privacy profile on a lattice of losses, made convex and turned into the law of the loss: the arithmetic
// behind a dominating or dominated pair, in ln alpha, so that no loss is too large for it.
//
// The profile f(alpha), alpha = e^{ih}, is kept on two sides of alpha = 1: for i >= 0 its value f, for i <
// 0 the value r of the pair seen from the other record, f(alpha) = 1 - alpha + alpha r(1/alpha). The change
// from f to r is projective: it keeps straight lines straight, so a point is above a chord on one side
// exactly when it is on the other, and each side keeps its own digits. With w the width of a cell, a
// chord's slope times its left end's alpha is (f' - f) / (e^w - 1), times its right end's (f' - f) / (1 -
// e^{-w}): the P-mass of a kink, alpha times the change of slope, never sees alpha. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/numerics/sums/atomic_law.h"

namespace muster::accounting {

// One node: `value` is f for index >= 0, r below. Index 0 has both: they are equal there.
struct ProfilePoint {
  std::int64_t index;
  long double value;
};

// The nodes of the greatest convex minorant of the points, index increasing and holding at least 0.
std::vector<ProfilePoint> lower_convex_hull(double spacing, const std::vector<ProfilePoint>& points);

// The P-law of the loss of a convex, piecewise linear profile: slope -1 before the first node, constant
// after the last, whose value is the mass at infinite loss.
struct LossLaw {
  numerics::AtomicLaw losses;  // nonzero losses; the mass at zero loss is what these and infinity leave of 1
  double infinity;
  double shift = 0;  // every loss, zero among them, is larger by this
  int finer = 1;     // the losses' lattice is that many times as fine as the profile's
};

// Roundings go towards larger losses (`above`) or towards smaller ones. Throws Error(internal) for points
// that are not finite or out of order. Should the masses not sum to 1 by more than rounding, what is
// missing is added to infinity; a law of too much mass, or from below of any other than 1, says nothing:
// all of it at infinity, or none.
LossLaw losses_of(double spacing, const std::vector<ProfilePoint>& hull, bool above);

// The same with a proof: the law's own profile is computed anew at every point of `required` of index >= 0,
// and what it should lack of the value there is added to the mass at infinity.
LossLaw losses_dominating(double spacing, const std::vector<ProfilePoint>& hull,
                          const std::vector<ProfilePoint>& required);

}  // namespace muster::accounting
