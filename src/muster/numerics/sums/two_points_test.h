// A law of two points and zero, as the terms of class C have: for tests.
#pragma once

#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {

// Zero but at `rate`; then x at `share`, else y.
inline AtomicLaw two_points(double x, double y, double rate, double share) {
  AtomicLaw law;
  law.add(x, rate * share);
  law.add(y, rate * (1 - share));
  return law;
}

}  // namespace muster::numerics
