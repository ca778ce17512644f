// One binary test of N messages, with every error turned towards "harmless": the arithmetic of floor.h.
//
// Pure functions; any thread.
#pragma once

namespace muster::accounting {

// gap P(Bin(N-1, b) = t - 1) - (E - 1) P(Bin(N, b) >= t) at a good t, rounded down; at least 0, never NaN.
// A bit has probability at most b = e^{log_b} under the alternative (a logarithm, since it may be far below
// every double) and at least `gap` more under the record; both are shares of all messages. count = N >= 1,
// whole; epsilon >= 0.
double binary_test(double count, double gap, double log_b, double epsilon);

// P(first <= Bin(n, p) <= last) from below, 0 <= first <= last <= n; at least 0.
double binomial_window(double n, double p, double first, double last);

// The chance that a fair coin shows `tails` tails before `heads` heads, tails > 0, heads > 0, both whole.
double fair_race(double tails, double heads);

// ln(1 - Phi(x)) from above and 1 - Phi(x) from below, for any x.
double log_upper_normal(double x);
double upper_normal_from_below(double x);

}  // namespace muster::accounting
