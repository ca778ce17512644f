// Exact intervals for the binomial law: the band in which a count falls, and the success probabilities that
// explain a count.
//
// Both are computed from exact tails (Boost's incomplete beta function). The interval for a probability is
// that of Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of the
// binomial" (Biometrika 1934). If more than 10^10 successes and as many failures are expected, Chernoff's
// bound replaces the tails: exp(-N KL) for N trials and the Kullback-Leibler divergence of the observed rate
// from the assumed rate. At `side` <= 5e-4 the intervals are then wider by less than a fifth, and never too
// narrow. Derivations: docs/theory/check-in-monitor.md. Thread-safe.
#pragma once

#include <cstdint>

namespace muster::protocols {

// The counts from `low` to `high`, both included.
struct CountBand {
  std::uint64_t low;
  std::uint64_t high;
};

// A band for the number X of successes of independent trials, each with its own probability in [min_p,
// max_p]: P(X < low) <= side and P(X > high) <= side. With exact tails, no narrower band has this property
// both if all probabilities are `min_p` and if all are `max_p`. Requires an integer trials >= 0 (a double,
// because it may exceed 2^64), 0 <= min_p <= max_p <= 1 and 0 < side < 1/2.
CountBand binomial_band(double trials, double min_p, double max_p, double side);

struct RateInterval {
  double low;
  double high;
};

// The success probabilities for which neither P(X >= successes) nor P(X <= successes) is below `side`, where
// X is the number of successes of `trials` independent trials. The interval lies below the true probability
// with probability at most `side`, and above it with probability at most `side`. Requires trials >= 1,
// successes <= trials and 0 < side < 1/2.
RateInterval clopper_pearson(double trials, std::uint64_t successes, double side);

}  // namespace muster::protocols
