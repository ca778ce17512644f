// Encloses the privacy curve of binary randomized response in a plain shuffle, the worst over all data
// sets (Theorem 14, docs/theory/binary-randomized-response.md): exactly, apart from rounding, for up to
// kMaxClients clients, and by two different bounds for more.
//
// Every client reports one bit. The true bit is kept with probability p = e^epsilon0/(e^epsilon0 + 1)
// and flipped with probability q = 1 - p. The server learns only the number of ones. Let i of the
// m = n - 1 other clients hold the victim's record, and let S_i be the number of their reports that show
// the victim's record. Then
//     delta_i(epsilon) = max over s of  (p - E q) P(S_i = s) - (E - 1) P(S_i > s),    E = e^epsilon,
// and the result is the maximum over i = 0..m, which covers both orders of the victim's records. Up to
// kMaxClients clients, every i is evaluated. Beyond that, the upper end is the privacy blanket (Theorem 12)
// and the lower end is the larger of the curves of two homogeneous data sets. Neighbouring relation:
// replace-one; the shuffler is honest. Proven, for this randomizer only. Immutable; may be called from any
// thread.
#pragma once

#include <vector>

#include "muster/numerics/enclosure.h"

namespace muster::accounting {

class BinaryShuffle {
 public:
  // Up to this number of clients, every i is evaluated; a point then takes about a millisecond.
  static constexpr double kMaxClients = 1000;

  // n is a whole number >= 1; epsilon0 > 0.
  BinaryShuffle(double n, double epsilon0);

  // Encloses the exact divergence for up to kMaxClients clients. For more, each end comes from a different
  // bound.
  numerics::Enclosure delta(double epsilon) const;

  // Encloses delta_i, the divergence of one data set; 0 <= i < n <= kMaxClients.
  numerics::Enclosure dataset(int i, double epsilon) const;

 private:
  // The masses of a binomial law; far tails, below e^-110 of the mode's mass, are cut off.
  struct Binomial {
    int first = 0;
    std::vector<double> mass;
    std::vector<double> above;  // above[j] = P(B > first + j)
  };
  struct Parts {
    double at;     // P(S_i = s)
    double above;  // P(S_i > s)
  };
  static Binomial binomial(int count, double success, double failure);
  Parts parts(int i, int s) const;
  // Returns the maximum over s. On entry `s` is a starting guess, on return it is the maximiser.
  numerics::Enclosure best(int i, double epsilon, int& s) const;

  double n_;
  double epsilon0_;
  std::vector<Binomial> own_;    // own_[i] is the law Bin(i, p)
  std::vector<Binomial> other_;  // other_[i] is the law Bin(m - i, q)
};

}  // namespace muster::accounting
