// Computes the law of the total of the other clients' negative terms in the sum of a swap theorem. It is
// needed where one client's large term makes the sum positive (docs/theory/profile-only.md, "One large
// term").
//
// Let E = e^eps, and let Z_j be a client's term: X* of reporting_law.h if she reports, 1 - E if she is
// absent, and 0 if the proof reveals her check-in coin to the adversary (unequal_rates.h). The total is
// -E D with
//     D = sum over N - 1 independent clients of (-Z_j)_+ / E  >=  0.
// If the centred term Y_j = 1 - 1/E + Z_j / E is multiplied by a weight w_j <= 1, the summand is
// (1 - 1/E - w_j Y_j)_+ instead. The bounds of one_large_term.h need the mean of phi(D) for functions phi
// that are decreasing and convex. For this, a law of some hundred atoms replaces the law of D
// (sum_by_doubling.h). For the upper bound, the atoms of one client are moved down before copies of her law
// are added. For the lower bound they are moved up, and only the event that none of the N - 1 terms is
// positive counts, so the masses sum to less than 1. Points and masses are rounded so that the bounds hold.
// Each law holds for all eps of one interval. Objects are immutable.
#pragma once

#include <cstddef>
#include <vector>

#include "muster/describe/profile.h"
#include "muster/numerics/side.h"

namespace muster::accounting {

// Holds the law of the weight of each term, for sums whose terms are centred so that an absent client's term
// is zero. Weights are independent and identically distributed. They are in (0, 1], or zero with the
// remaining probability.
struct TermWeights {
  std::vector<double> values;  // the positive values of the weight, decreasing
  std::vector<double> probabilities;
};

// Describes the terms of the other clients, which are independent and identically distributed. A client
// reports with probability `rate` and is absent with probability `silent`. With the remaining probability the
// proof reveals her check-in coin to the adversary (unequal_rates.h), and her term is 0.
struct OtherTerms {
  double count;    // the number of terms, N - 1 >= 0; a whole number
  double rate;     // the probability that a client reports, in (0, 1]
  double silent;   // the probability that a client is absent, >= 0, rounded down
  double nearest;  // > 0; phi(d) is about f(E (nearest + d)), so cells are narrower for d below `nearest`
  const TermWeights* weights = nullptr;  // the law of the weights; all weights are 1 if null
};

class OthersBelowZero {
 public:
  // Returns the index of the interval whose law serves this epsilon >= 1.
  static std::size_t interval_of(double epsilon);

  OthersBelowZero(const Profile& profile, const OtherTerms& terms, std::size_t interval, numerics::Side side);

  // The sum of masses()[i] * phi(points()[i]) is at least the mean of phi(D) (Side::above), or at most the
  // mean of phi(D) over the event that no term is positive (Side::below).
  const std::vector<double>& points() const { return points_; }  // values of D, increasing, >= 0
  const std::vector<double>& masses() const { return masses_; }

 private:
  std::vector<double> points_;
  std::vector<double> masses_;
};

}  // namespace muster::accounting
