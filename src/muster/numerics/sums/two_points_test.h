// A law of two points and zero for tests. The terms of class C have such laws (Theorem 4,
// docs/theory/class-c.md). The function is pure.
#pragma once

#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {

// The law is nonzero with probability `rate`; given that, it is x with probability `share` and y otherwise.
inline AtomicLaw two_points(double x, double y, double rate, double share) {
  AtomicLaw law;
  law.add(x, rate * share);
  law.add(y, rate * (1 - share));
  return law;
}

}  // namespace muster::numerics
