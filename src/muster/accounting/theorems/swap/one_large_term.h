// The sum of a swap-type bound where one term alone must carry it: for losses so large that hardly a message
// shows one (docs/theory/profile-only.md, "One large term").
//
// With f the local profile, E = e^eps, N terms that report with probability g each, S >= N, X* as in
// reporting_law.h and D the negative parts of N - 1 terms together, in units of E (others_below_zero.h),
//     E(sum of all terms - (S-N) (E-1))_+  <=  N g ( E f(E + (S-N) (E-1) + E D) + (N-1) g f(E) Q(E) ),
// Q(E) = P(X* > 0) the slope of f at E: either one term alone passes what the others lack, or two terms are
// positive. A weight w <= 1 on each centred term stands before f and divides what the term must pass. From
// below, N g E f(...) where no other term is positive is part of the sum. Everything is in ln alpha: it
// holds, and does not overflow, at every epsilon. Proven.
#pragma once

#include <functional>
#include <memory>

#include "muster/accounting/describe/profile.h"
#include "muster/accounting/theorems/swap/others_below_zero.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// f(e^l) and Q(e^l) from above, l >= 0.
struct LocalTail {
  std::function<double(double log_alpha)> divergence;
  std::function<double(double log_alpha)> alternative;
};

// Of a profile, which it keeps.
LocalTail tail_of(const Profile& profile);

struct LargeTermShape {
  double factor;
  double count;      // N >= 1
  double rate;       // g: a term reports
  double silent;     // the chance that a term is absent: 1 - g, or less where some are revealed
  double threshold;  // S >= N, per E - 1
  std::shared_ptr<const TermWeights> weights = nullptr;  // of the terms centred at an absent one; none: 1
};

// Immutable to its users, and safe to call from any thread: the laws of D are
// built once and kept. Copies share them.
class OneLargeTerm {
 public:
  OneLargeTerm(LocalTail local, Profile profile);

  // factor * E(...)_+, epsilon >= 1; in [0, 1], never NaN.
  numerics::Enclosure at(const LargeTermShape& shape, double epsilon) const;

 private:
  struct Laws;
  const OthersBelowZero& others(const LargeTermShape& shape, double epsilon, numerics::Side side) const;

  LocalTail local_;
  std::shared_ptr<Laws> laws_;
};

}  // namespace muster::accounting
