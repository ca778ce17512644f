// How far below zero the other terms of a swap-type sum lie, all together, while one large term carries it
// (docs/theory/profile-only.md, "One large term").
//
// With E = e^eps and Z_j a client's term (X* where she reports, 1 - E where she is
// absent, 0 where she is revealed),
//     D = sum over N - 1 independent clients of (-Z_j)_+ / E  >=  0;
// where Y_j = 1 - 1/E + Z_j / E is multiplied by a weight w_j <= 1, of (1 - 1/E - w_j Y_j)_+ .
// A bound needs E phi(D) for functions phi that fall and are convex. So a law of some hundred atoms stands
// for D's (sum_by_doubling.h): one client's atoms are moved down from above, up from below, where only terms
// that are not positive count, and all rounding is in the points and masses. Each law holds for all eps of
// one interval. Immutable.
#pragma once

#include <cstddef>
#include <vector>

#include "muster/accounting/describe/profile.h"
#include "muster/numerics/side.h"

namespace muster::accounting {

// What each term of a sum, centred so that an absent client's is zero, is multiplied by: independent, equal
// in law, in (0, 1]; zero with the probability that is left.
struct TermWeights {
  std::vector<double> values;  // falling
  std::vector<double> probabilities;
};

// One client's term: it reports with probability `rate`, is absent with
// probability `silent`, and zero in what is left.
struct OtherTerms {
  double count;    // N - 1 >= 0, whole
  double rate;     // (0, 1]
  double silent;   // >= 0, rounded down
  double nearest;  // > 0: phi(d) = f(E (nearest + d)), so that cells are narrow where d is small against it
  const TermWeights* weights = nullptr;  // none: 1
};

class OthersBelowZero {
 public:
  // The interval of epsilon >= 1 that a law is for.
  static std::size_t interval_of(double epsilon);

  OthersBelowZero(const Profile& profile, const OtherTerms& terms, std::size_t interval, numerics::Side side);

  // E phi(D) is at most (above) or at least (below) the sum of masses()[i] * phi(points()[i]).
  const std::vector<double>& points() const { return points_; }  // increasing, >= 0
  const std::vector<double>& masses() const { return masses_; }

 private:
  std::vector<double> points_;
  std::vector<double> masses_;
};

}  // namespace muster::accounting
