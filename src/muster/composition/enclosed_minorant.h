// The value of a curve of which only a minorant is enclosed. A minorant is a function that is nowhere above
// the curve.
//
// A lower bound for many rounds is composed from the curve of one pair of data sets (dominated_losses.h), or
// from any minorant of it that is convex in e^epsilon. A minorant is used where the curve itself is too hard
// to compute. The type has no upper bound of the curve, so that none can be taken from it by mistake. Types
// and a pure function.
#pragma once

#include "muster/numerics/enclosure.h"

namespace muster::accounting {

struct EnclosedMinorant {
  double lower;           // at most the minorant, and therefore at most the curve
  double minorant_upper;  // at least the minorant; the curve may be above it
};

// For a curve that is enclosed and convex: it is its own minorant.
inline EnclosedMinorant own_minorant(const numerics::Enclosure& curve) {
  return {.lower = curve.lower, .minorant_upper = curve.upper};
}

}  // namespace muster::accounting
