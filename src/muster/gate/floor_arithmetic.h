// The arithmetic of floor.h: one binary test of N messages. Every rounding error is turned so that a
// lower bound stays one.
//
// Pure functions; any thread.
#pragma once

namespace muster::accounting {

// gap P(Bin(N-1, b) = t - 1) - (E - 1) P(Bin(N, b) >= t), E = e^epsilon, at a nearly best t, rounded down;
// at least 0, never NaN. Each of the N messages shows a one with probability at most b = e^{log_b} under
// the alternative (given by its logarithm because it may be far below every double). The victim's record
// raises the probability of one message by at least `gap`. Both probabilities include that of the message's
// being sent at all. count = N >= 1 is whole; epsilon >= 0.
double binary_test(double count, double gap, double log_b, double epsilon);

// A lower bound of P(first <= Bin(n, p) <= last), 0 <= first <= last <= n; at least 0.
double binomial_window(double n, double p, double first, double last);

// The probability that a fair coin shows `tails` tails before it shows `heads` heads. Both are
// whole and positive.
double fair_race(double tails, double heads);

// An upper bound of ln(1 - Phi(x)) and a lower bound of 1 - Phi(x), for any x.
double log_upper_normal(double x);
double upper_normal_from_below(double x);

}  // namespace muster::accounting
