// The arithmetic of floor.h. Lower bounds are lowered, and upper bounds raised, by more than their rounding
// errors. The result of fair_race has no such margin.
//
// Pure functions; any thread.
#pragma once

namespace muster::accounting {

// A lower bound of gap P(Bin(N-1, b) = t - 1) - (E - 1) P(Bin(N, b) >= t), where N = count, b = e^{log_b} and
// E = e^epsilon, at a nearly best t; at least 0, never NaN. Each of the N messages shows a one with
// probability at most b under the alternative. The logarithm of b is given because b may be far below every
// double. For one message the victim's record raises this probability by at least `gap`. Both `gap` and b
// account for messages that may not be sent. `count` >= 1 is whole; epsilon >= 0.
double binary_test(double count, double gap, double log_b, double epsilon);

// A lower bound of P(first <= Bin(n, p) <= last), 0 <= first <= last <= n; at least 0.
double binomial_window(double n, double p, double first, double last);

// The probability that a fair coin shows `tails` tails before it shows `heads` heads. Both are
// whole and positive.
double fair_race(double tails, double heads);

// An upper bound of ln(1 - Phi(x)) and a lower bound of 1 - Phi(x), for any x.
double log_upper_normal(double x);
double upper_normal_from_below(double x);

// A lower bound of P(x - mu < Z <= x) for a standard normal Z, mu >= 0.
double normal_gap(double x, double mu);

// The larger and the smaller of x and y; x if y is NaN, which stands for a value that could not be computed.
inline double larger_known(double x, double y) { return y > x ? y : x; }
inline double smaller_known(double x, double y) { return y < x ? y : x; }

}  // namespace muster::accounting
