// Binary randomized response in a plain shuffle: the exact truth, the worst over all data sets
// (docs/theory/binary-randomized-response.md).
//
// Everybody reports one bit; a true bit is kept with probability p = e^epsilon0/(e^epsilon0 + 1), q = 1 - p.
// The server learns the number of ones alone. With i of the m = n - 1 others on the victim's side, S_i their
// number of reports on that side,
//     delta_i(epsilon) = max over s of  (p - E q) P(S_i = s) - (E - 1) P(S_i > s),    E = e^epsilon,
// and the answer is the maximum over i = 0..m, both orders of the victim's records included. Up to
// kMost clients every i is evaluated; beyond, the privacy blanket is the upper end and the
// homogeneous data sets are the lower one. Replace-one, shuffler honest, proven, this randomizer
// only. Immutable; call from any thread.
#pragma once

#include <vector>

#include "muster/numerics/enclosure.h"

namespace muster::accounting {

class BinaryShuffle {
 public:
  static constexpr double kMost = 1000;  // clients: about a millisecond a point there

  // n >= 1 whole, epsilon0 > 0.
  BinaryShuffle(double n, double epsilon0);

  // Encloses the exact divergence up to kMost clients; a bound from each side beyond.
  numerics::Enclosure delta(double epsilon) const;

  // Encloses delta_i of one data set, 0 <= i < n <= kMost.
  numerics::Enclosure dataset(int i, double epsilon) const;

 private:
  // A binomial law without its far tails (below e^-110 of the mode).
  struct Binomial {
    int first = 0;
    std::vector<double> mass;
    std::vector<double> above;  // P(B > first + j)
  };
  struct Parts {
    double at;     // P(S_i = s)
    double above;  // P(S_i > s)
  };
  static Binomial binomial(int count, double success, double failure);
  Parts parts(int i, int s) const;
  // The maximum over s; `s` enters as a guess and leaves as the maximiser.
  numerics::Enclosure best(int i, double epsilon, int& s) const;

  double n_;
  double epsilon0_;
  std::vector<Binomial> own_;    // own_[i]: i others on the victim's side
  std::vector<Binomial> other_;  // other_[i]: m - i of them on the other side
};

}  // namespace muster::accounting
