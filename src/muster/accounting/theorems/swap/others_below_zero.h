// The law of how far below zero the other terms of a swap-type sum lie, all together, while one large
// term makes the sum positive (docs/theory/profile-only.md, "One large term").
//
// With E = e^eps and Z_j a client's term (X* if she reports, 1 - E if she is absent, 0 if
// she is revealed),
//     D = sum over N - 1 independent clients of (-Z_j)_+ / E  >=  0.
// If Y_j = 1 - 1/E + Z_j / E is multiplied by a weight w_j <= 1, the summand is (1 - 1/E - w_j Y_j)_+ .
// A bound needs E phi(D) for functions phi that are decreasing and convex. So a law of some hundred atoms
// takes the place of D's (sum_by_doubling.h). For the upper bound one client's atoms are moved down; for
// the lower bound they are moved up, and only terms that are not positive count. All rounding is in the
// points and masses. Each law holds for all eps of one interval. Immutable.
#pragma once

#include <cstddef>
#include <vector>

#include "muster/describe/profile.h"
#include "muster/numerics/side.h"

namespace muster::accounting {

// The law of the weight of each term of a sum whose terms are centred so that an absent client's is zero.
// Weights are independent, equal in law and in (0, 1], or zero with the remaining probability.
struct TermWeights {
  std::vector<double> values;  // decreasing
  std::vector<double> probabilities;
};

// The law of one client's term: she reports with probability `rate` and is absent with probability
// `silent`; otherwise her term is zero.
struct OtherTerms {
  double count;    // N - 1 >= 0, whole
  double rate;     // (0, 1]
  double silent;   // >= 0, rounded down
  double nearest;  // > 0; phi(d) = f(E (nearest + d)), and cells are narrow where d is small against it
  const TermWeights* weights = nullptr;  // all 1 if null
};

class OthersBelowZero {
 public:
  // The index of the interval whose law serves this epsilon >= 1.
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
