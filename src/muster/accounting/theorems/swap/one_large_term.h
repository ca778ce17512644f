// Bounds the sum of a swap-type theorem at losses so large that one term alone makes it positive
// (docs/theory/profile-only.md, "One large term").
//
// Let f be the local profile and E = e^eps. Let N terms report with probability g each, let S >= N, let
// X* be as in reporting_law.h, and let D be the negative parts of N - 1 terms together, in units of E
// (others_below_zero.h). Then
//     E(sum of all terms - (S-N) (E-1))_+  <=  N g ( E f(E + (S-N) (E-1) + E D) + (N-1) g f(E) Q(E) ),
// where Q(E) = P(X* > 0) is minus the slope of f at E: either one term alone exceeds what the others
// lack, or two terms are positive. If each centred term has a weight w <= 1, w multiplies f and divides
// what the term must exceed. The lower bound is N g E f(...), restricted to the event that no other term
// is positive. Everything is computed in ln alpha, so that nothing overflows at large epsilon. Proven.
#pragma once

#include <functional>
#include <memory>

#include "muster/accounting/theorems/swap/others_below_zero.h"
#include "muster/describe/profile.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// Upper bounds of f(e^l) and Q(e^l), for l >= 0.
struct LocalTail {
  std::function<double(double log_alpha)> divergence;
  std::function<double(double log_alpha)> alternative;
};

// The tail of `profile`, of which the result keeps a copy.
LocalTail tail_of(const Profile& profile);

struct LargeTermShape {
  double factor;
  double count;      // N >= 1
  double rate;       // g: the probability that a term reports
  double silent;     // the probability that a term is absent: 1 - g, or less where some are revealed
  double threshold;  // S >= N, in units of E - 1
  std::shared_ptr<const TermWeights> weights = nullptr;  // of the centred terms; all 1 if null
};

// Immutable to its users and safe to call from any thread: the laws of D are built on first use and kept.
// Copies share them.
class OneLargeTerm {
 public:
  OneLargeTerm(LocalTail local, Profile profile);

  // Encloses factor * E(the sum of the shape's terms)_+ at epsilon >= 1; in [0, 1], never NaN.
  numerics::Enclosure at(const LargeTermShape& shape, double epsilon) const;

 private:
  struct Laws;
  const OthersBelowZero& others(const LargeTermShape& shape, double epsilon, numerics::Side side) const;

  LocalTail local_;
  std::shared_ptr<Laws> laws_;
};

}  // namespace muster::accounting
