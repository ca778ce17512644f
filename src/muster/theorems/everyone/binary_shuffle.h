// Encloses the privacy curve of binary randomized response in a plain shuffle: the largest hockey-stick
// divergence over all data sets (Theorem 14, docs/theory/binary-randomized-response.md).
//
// Every client reports one bit. The true bit is kept with probability p = e^epsilon0/(e^epsilon0 + 1) and
// flipped with probability q = 1 - p. The server learns only the number of ones. Let i of the m = n - 1
// other clients hold the victim's record, and let S_i be the number of all m reports that show this record.
// For epsilon < epsilon0, the divergence of this data set is
//     delta_i(epsilon) = max over s of  (p - E q) P(S_i = s) - (E - 1) P(S_i > s),    E = e^epsilon.
// The largest divergence is the maximum over i = 0..m, which covers both orders of the victim's records; it
// is 0 for epsilon >= epsilon0. Up to kMaxClients clients, every i is evaluated, and the two ends differ
// only by rounding. For more clients, the upper end is the privacy blanket (Theorem 12), and the lower end
// is the larger of the curves of two homogeneous data sets. The neighbouring relation is replace-one, and
// the shuffler is honest. The bounds are proven, but only for this randomizer. Objects are immutable and
// may be used from any thread.
#pragma once

#include <vector>

#include "muster/numerics/enclosure.h"

namespace muster::accounting {

class BinaryShuffle {
 public:
  // Up to this number of clients, every i is evaluated; a point then takes about a millisecond.
  static constexpr double kMaxClients = 1000;

  // Requires a whole number n >= 1 and epsilon0 > 0.
  BinaryShuffle(double n, double epsilon0);

  // Encloses the largest divergence at epsilon >= 0. For more than kMaxClients clients, the two ends come
  // from different bounds.
  numerics::Enclosure delta(double epsilon) const;

  // Encloses delta_i, the divergence of a single data set. Requires 0 <= i < n <= kMaxClients.
  numerics::Enclosure dataset(int i, double epsilon) const;

 private:
  // The masses of a binomial law at `first`, `first` + 1 and so on. Values whose mass is below e^-110 times
  // that of the mode are cut off.
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
  // Encloses delta_i. The search for the maximising s starts at `s` and leaves the maximiser there.
  numerics::Enclosure best(int i, double epsilon, int& s) const;

  double n_;
  double epsilon0_;
  std::vector<Binomial> own_;    // own_[i] is the law Bin(i, p)
  std::vector<Binomial> other_;  // other_[i] is the law Bin(m - i, q)
};

}  // namespace muster::accounting
