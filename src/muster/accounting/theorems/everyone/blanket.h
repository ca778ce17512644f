// Bounds a plain shuffle, in which everybody reports once, by the privacy blanket (Theorem 12,
// docs/theory/blanket.md).
//
// Source: Balle, Bell, Gascon, Nissim, "The Privacy Blanket of the Shuffle Model", CRYPTO 2019, section 5. No
// number of that paper is cited, because the page proves the hockey-stick form used here. Let R(x) be the
// law of a message of record x, a = R(x1) and b = R(x1') the victim's two laws, and E = e^epsilon. Let omega
// be a measure below R(x) for every record x, positive wherever a is. Then, whatever the other n - 1 clients
// hold,
//     delta(epsilon) <= (1/n) * mean of ( G_1 + ... + G_n )_+ ,
// where the G_i are independent and each is (a - E b)/omega with density omega, and 0 with the remaining
// probability. This file has two instances: any epsilon0-LDP randomizer (by a law with two nonzero values
// that dominates every G_i) and Laplace noise on an interval. k-ary randomized response is in k_rr.h.
// Neighbouring relation: replace-one; the shuffler is honest. Proven. Pure functions and an immutable class;
// may be called from any thread. Arguments: epsilon >= 0, epsilon0 > 0, n >= 1. For epsilon >= epsilon0 the
// bound of an epsilon0-LDP randomizer is 0.
#pragma once

#include <vector>

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/mean_of_terms.h"

namespace muster::accounting {

// Any epsilon0-LDP randomizer. With q = 1/(e^epsilon0 + 1),
//     G = e^epsilon0 - E  with probability q,   1 - E e^epsilon0  with probability q,   else 0.
numerics::Enclosure pure_blanket_delta(double n, double epsilon0, double epsilon);

// The victim and N others, N ~ Bin(n - 1, chance), all report through any epsilon0-LDP randomizer. With B(k)
// the bound above for k clients, the result is
//     mean of B(N + 1) = (1 / (n chance)) * mean of ( G_1 + ... + G_n )_+ ,
// where each G_i is the term above with probability chance and 0 otherwise. Clients whose rates lie in
// [chance, 1] reduce to such a shuffle (docs/theory/unequal-rates.md). 0 < chance <= 1.
numerics::Enclosure thinned_blanket_delta(double n, double chance, double epsilon0, double epsilon);

// Laplace noise of scale 1/epsilon0 on records in an interval of width 1. The law of G is continuous and is
// put on a grid: for the upper end the mass of each cell is split between the cell's two ends, and for the
// lower end it is merged to the cell's mean.
class LaplaceBlanket {
 public:
  LaplaceBlanket(double n, double epsilon0);
  numerics::Enclosure delta(double epsilon) const;

 private:
  double n_;
  double epsilon0_;
  // Values of |ln(a/b)| in [0, epsilon0], where a and b are the densities of the interval's two ends.
  std::vector<long double> levels_;
  std::vector<long double> split_masses_;  // masses at the levels, after the mean-preserving split
  std::vector<long double> merged_levels_;
  std::vector<long double> merged_masses_;
};

// Plain shuffle of an (epsilon0, delta0)-LDP randomizer. For epsilon < epsilon0,
//     delta <= delta0 + 2 (1+E) (n-1) e^-epsilon0 delta0 + (1/n) * mean of ( G_1 + ... + G_n )_+ ,
// where G is as for pure_blanket_delta, but its positive value has s = delta0/(e^(2 epsilon0)-1) more mass,
// and its negative value has e^epsilon0 s less. For epsilon >= epsilon0, delta <= delta0. Proven; where
// the bound exceeds 1, the result is 1. No protocol is charged by this bound. It is for comparison with bounds
// that use more than (epsilon0, delta0), which are smaller.
numerics::UpperAndEstimate approximate_blanket_delta(double n, double epsilon0, double delta0,
                                                     double epsilon);

}  // namespace muster::accounting
