// Bounds the sums of the swap theorems at privacy losses so large that a single term makes the sum positive
// (docs/theory/profile-only.md, "One large term").
//
// Let f be the local profile and E = e^eps. Each of N clients reports with probability g. A client's term is
// X* (reporting_law.h) if she reports, 1 - E if she is absent, and 0 if the proof reveals her check-in coin
// to the adversary (unequal_rates.h). The threshold is (S-N) (E-1) with S >= N. Let -E D be the sum of the
// negative terms among N - 1 clients (others_below_zero.h). Then
//     mean of ( sum of all N terms - (S-N) (E-1) )_+
//         <=  N g ( mean of f(E + (S-N) (E-1) + E D)  +  (N-1) g f(E) Q(E) ),
// where Q(E) = P(X* > 0) is minus the slope of f at E. The left-hand side is positive only if a single term
// exceeds (S-N) (E-1) + E D or two terms are positive. If each centred term Y (others_below_zero.h) has a
// weight w <= 1, w multiplies f and divides the amount that the term must exceed. The lower bound is N g
// times the mean of f(E + (S-N) (E-1) + E D) restricted to the event that none of the other N - 1 terms is
// positive. The arguments of f are kept as logarithms, so that nothing overflows at large epsilon. The bound
// is proven. Objects may be used from any thread, if the functions of their LocalTail may be called from any
// thread.
#pragma once

#include <functional>
#include <memory>

#include "muster/describe/profile.h"
#include "muster/numerics/enclosure.h"
#include "muster/theorems/swap/others_below_zero.h"

namespace muster::accounting {

// The functions return upper bounds of f(e^l) (`divergence`) and Q(e^l) (`alternative`), for l >= 0.
struct LocalTail {
  std::function<double(double log_alpha)> divergence;
  std::function<double(double log_alpha)> alternative;
};

// Returns the tail of `profile`, of which the result keeps a copy.
LocalTail tail_of(const Profile& profile);

struct LargeTermShape {
  double factor;     // the factor before the mean
  double count;      // the number of terms, N >= 1
  double rate;       // g: the probability that a client reports
  double silent;     // the probability that a client is absent: 1 - g, or less where coins may be revealed
  double threshold;  // S >= N, in units of E - 1
  // The law of the centred terms' weights; all weights are 1 if null.
  std::shared_ptr<const TermWeights> weights = nullptr;
};

// Objects look immutable to their users and may be used from any thread. The laws of D are built on first use
// and kept; copies of an object share them.
class OneLargeTerm {
 public:
  OneLargeTerm(LocalTail local, Profile profile);

  // Bounds the smaller of 1 and factor * mean of ( sum of all N terms - (S-N) (E-1) )_+ at epsilon >= 1.
  // `upper` is an upper bound of this value. `estimate` would be a lower bound if the true profile were as
  // large as the computed one. Both are in [0, 1] and never NaN.
  numerics::UpperAndEstimate at(const LargeTermShape& shape, double epsilon) const;

 private:
  struct Laws;
  const OthersBelowZero& others(const LargeTermShape& shape, double epsilon, numerics::Side side) const;

  LocalTail local_;
  std::shared_ptr<Laws> laws_;
};

}  // namespace muster::accounting
