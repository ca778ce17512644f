// Exact intervals of the binomial law: where a count falls, and which chances explain a count.
//
// The band of a count and Clopper and Pearson's interval ("The use of confidence or fiducial limits
// illustrated in the case of the binomial", Biometrika 1934) for a chance, both from exact tails (Boost's
// incomplete beta). Beyond 10^10 expected successes the tails are Chernoff's, exp(-N KL): the intervals are
// then some per cent wider and never too narrow. Derivations: docs/theory/check-in-monitor.md. Thread rule:
// plain functions.
#pragma once

#include <cstdint>

namespace muster::protocols {

// Counts from `low` to `high`, both inside.
struct CountBand {
  std::uint64_t low;
  std::uint64_t high;
};

// For the number X of successes of independent trials, each with its own chance in [least, most]:
// P(X < low) <= side and P(X > high) <= side, and no narrower band has that where all chances are `least`, or
// all are `most`. trials >= 0 (whole; a double, since it may pass 2^64), 0 <= least <= most <= 1, 0 < side <
// 1/2.
CountBand binomial_band(double trials, double least, double most, double side);

struct RateInterval {
  double low;
  double high;
};

// The chances p under which neither P(X >= successes) nor P(X <= successes) is below `side`: it misses the
// true chance above with probability at most `side`, and so below. 1 <= trials, successes <= trials.
RateInterval clopper_pearson(double trials, std::uint64_t successes, double side);

}  // namespace muster::protocols
