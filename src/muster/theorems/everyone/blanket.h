// Bounds a plain shuffle, in which everybody reports once, by the privacy blanket (Theorem 12,
// docs/theory/blanket.md).
//
// Source: Balle, Bell, Gascon, Nissim, "The Privacy Blanket of the Shuffle Model", CRYPTO 2019, section 5.
// docs/theory/blanket.md proves the hockey-stick form used here, so no theorem of that paper is cited by
// its number. Let R(x) be the law of a message of record x, a = R(x1) and b = R(x1') the laws for the
// victim's two records, and E = e^epsilon. Let omega be a measure below R(x) for every record x, positive
// wherever a is. Then, whatever the other n - 1 clients hold,
//     delta(epsilon) <= (1/n) * mean of ( G_1 + ... + G_n )_+ ,
// where the G_i are independent and each is (a - E b)/omega with density omega, and 0 with the remaining
// probability. This file has two instances: any epsilon0-LDP randomizer (by a law with two nonzero values
// that dominates every G_i) and Laplace noise on an interval. k-ary randomized response is in k_rr.h. An
// Enclosure encloses the right-hand side, so only its upper end bounds delta. The bounds are proven for
// replace-one neighbours and an honest shuffler. The functions are pure and the class is immutable; both
// may be used from any thread. They require epsilon >= 0, epsilon0 > 0 and n >= 1. For epsilon >= epsilon0
// the bound of an epsilon0-LDP randomizer is 0.
#pragma once

#include <vector>

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/mean_of_terms.h"

namespace muster::accounting {

// Encloses the bound for any epsilon0-LDP randomizer. With q = 1/(e^epsilon0 + 1),
//     G = e^epsilon0 - E  with probability q,   1 - E e^epsilon0  with probability q,   else 0.
numerics::Enclosure pure_blanket_delta(double n, double epsilon0, double epsilon);

// Encloses the bound for a shuffle of the victim and N others, N ~ Bin(n - 1, chance), who all report
// through any epsilon0-LDP randomizer. With B(k) the bound above for k clients, it is
//     mean of B(N + 1) = (1 / (n chance)) * mean of ( G_1 + ... + G_n )_+ ,
// where each G_i is a copy of the G above with probability chance, and 0 otherwise. A check-in with rates
// in [chance, 1] reduces to such a shuffle (docs/theory/unequal-rates.md). Requires 0 < chance <= 1.
numerics::Enclosure thinned_blanket_delta(double n, double chance, double epsilon0, double epsilon);

// Encloses the bound for Laplace noise of scale 1/epsilon0 on records in an interval of width 1. The law of
// G is continuous and is put on a grid. For the upper end, the mass of each cell is split between the
// cell's two ends; for the lower end, it is merged to the cell's mean.
class LaplaceBlanket {
 public:
  LaplaceBlanket(double n, double epsilon0);
  numerics::Enclosure delta(double epsilon) const;

 private:
  double n_;
  double epsilon0_;
  // The grid: values of |ln(a/b)| in [0, epsilon0], where a and b are the densities of a message for the
  // records at the interval's two ends.
  std::vector<long double> levels_;
  std::vector<long double> split_masses_;  // masses at the levels, after the mean-preserving split
  std::vector<long double> merged_levels_;
  std::vector<long double> merged_masses_;
};

// Returns the bound for a plain shuffle of an (epsilon0, delta0)-LDP randomizer. For epsilon < epsilon0,
//     delta <= delta0 + 2 (1+E) (n-1) e^-epsilon0 delta0 + (1/n) * mean of ( G_1 + ... + G_n )_+ ,
// where G is as for pure_blanket_delta, but its positive value has s = delta0/(e^(2 epsilon0)-1) more mass,
// and its negative value has e^epsilon0 s less. For epsilon >= epsilon0, delta <= delta0. The bound is
// proven; where it exceeds 1, the result is 1. No protocol is charged by this bound. It serves for
// comparison with smaller bounds, which use more of the randomizer than (epsilon0, delta0).
numerics::UpperAndEstimate approximate_blanket_delta(double n, double epsilon0, double delta0,
                                                     double epsilon);

}  // namespace muster::accounting
