// Compares an upper bound with the truth over many cases: how often it is below the truth, and how close it
// comes to the truth.
#pragma once

namespace muster::accounting::oracle {

struct Domination {
  // Tolerances for the round-off of the truth, and of a bound that is itself computed by a slow formula.
  long double relative = 0, absolute = 0;
  long double negligible = 1e-9L;  // bounds of at most this are left out of `tightest`
  int cases = 0, violations = 0;
  long double tightest = 0;  // the largest truth / bound

  void add(long double truth, long double bound) {
    ++cases;
    violations += !(truth <= bound * (1 + relative) + absolute);  // a NaN is a violation
    if (bound > negligible && truth / bound > tightest) tightest = truth / bound;
  }
};

}  // namespace muster::accounting::oracle
