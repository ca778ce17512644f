// Exact intervals for the binomial law: the band in which a count falls, and the success probabilities that
// explain a count.
//
// Both intervals are computed from exact tails (Boost's incomplete beta function). The interval for a
// probability is that of Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the
// case of the binomial" (Biometrika 1934). If both successes and failures (expected ones for the band,
// observed ones for the other interval) exceed 10^10, Chernoff's bound exp(-N KL) replaces the tails, where
// N is the number of trials and KL the Kullback-Leibler divergence of the observed rate from the assumed
// rate. The intervals are then never too narrow and, if the allowed tail `side` is at most 5e-4, wider by
// less than a fifth. docs/theory/check-in-monitor.md has the derivations. The functions are thread-safe.
#pragma once

#include <cstdint>

namespace muster::protocols {

// The counts from `low` to `high`, both included.
struct CountBand {
  std::uint64_t low;
  std::uint64_t high;
};

// Returns a band for the number X of successes of independent trials, each with its own probability in
// [min_p, max_p]: P(X < low) <= side and P(X > high) <= side. With exact tails, no narrower band has this
// property both if all probabilities are `min_p` and if all are `max_p`. Requires an integer trials >= 0 (a
// double, because it may exceed 2^64), 0 <= min_p <= max_p <= 1 and 0 < side < 1/2.
CountBand binomial_band(double trials, double min_p, double max_p, double side);

struct RateInterval {
  double low;
  double high;
};

// Returns the success probabilities for which neither P(X >= successes) nor P(X <= successes) is below
// `side`, where X is the number of successes of `trials` independent trials. The interval lies below the
// true probability with probability at most `side`, and above it with probability at most `side`. Requires
// trials >= 1, successes <= trials and 0 < side < 1/2.
RateInterval clopper_pearson(double trials, std::uint64_t successes, double side);

}  // namespace muster::protocols
