// The arithmetic of floor.h. Lower bounds are lowered, and upper bounds raised, by more than their rounding
// errors. The result of fair_race has no such margin.
//
// Pure functions; call from any thread.
#pragma once

namespace muster::accounting {

// The floor by a test of the number of ones among N = `count` messages (floor.h). If the victim holds the
// alternative record, each message shows a one with probability b = e^{log_b} at most; b may be far smaller
// than every positive double. Her record raises this probability by at least `gap` for one message. A message
// that is not sent counts as a zero: if clients report with probability g, both b and the raised probability
// contain the factor g. Returns a lower bound of
//     gap P(Bin(N-1, b) = t - 1) - (E - 1) P(Bin(N, b) >= t),          E = e^epsilon,
// at a nearly best t; at least 0, never NaN. `count` >= 1 is whole; epsilon >= 0.
double binary_test(double count, double gap, double log_b, double epsilon);

// A lower bound of P(first <= Bin(n, p) <= last), 0 <= first <= last <= n; at least 0.
double binomial_window(double n, double p, double first, double last);

// The probability that a fair coin shows `tails` tails before it shows `heads` heads. Both are whole and
// positive.
double fair_race(double tails, double heads);

// An upper bound of ln(1 - Phi(x)) and a lower bound of 1 - Phi(x), for any x.
double log_upper_normal(double x);
double upper_normal_from_below(double x);

// A lower bound of P(x - mu < Z <= x) for a standard normal Z, mu >= 0.
double normal_gap(double x, double mu);

// The larger and the smaller of x and y. If y is NaN, which stands for a value that could not be computed,
// both functions return x.
inline double larger_known(double x, double y) { return y > x ? y : x; }
inline double smaller_known(double x, double y) { return y < x ? y : x; }

}  // namespace muster::accounting
