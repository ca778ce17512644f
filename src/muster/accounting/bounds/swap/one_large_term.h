// The sum of a swap-type bound where one term alone must carry it: for losses so large that hardly a message
// shows one (docs/theory/profile-only.md, "One large term").
//
// With f the local profile, E = e^eps, R of the N terms reporting (each with probability g) and a fraction
// that stays silent so that the sum must pass A (E - 1), A = S - (those not silent), and X* as in
// reporting_law.h,
//     E(sum over R of X* - A (E-1))_+  <=  R f(E + A (E-1)) + R f(E) Q(E),
// Q(E) = P(X* > 0) the slope of f at E: either one term passes A (E-1) alone, or two terms are positive. So
//     factor * E(...)_+ <= factor N g ( f(E + a (E-1)) + P(fewer than a are silent) f(E)
//                                       + (N-1) g f(E) Q(E) ).
// Everything is in ln alpha: it holds, and does not overflow, at every epsilon. Proven. Pure function.
#pragma once

#include <functional>

namespace muster::accounting {

// f(e^l) and Q(e^l) from above, l >= 0.
struct LocalTail {
  std::function<double(double log_alpha)> divergence;
  std::function<double(double log_alpha)> alternative;
};

struct LargeTermShape {
  double factor;
  double count;      // N >= 1
  double rate;       // g: a term reports
  double silent;     // the chance that a term is absent: 1 - g, or less where some are revealed
  double threshold;  // S >= N, per E - 1
};

// An upper bound, in [0, 1], never NaN.
double one_large_term(const LocalTail& local, const LargeTermShape& shape, double epsilon);

}  // namespace muster::accounting
