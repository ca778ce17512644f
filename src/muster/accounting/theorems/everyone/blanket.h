// The privacy blanket: plain shuffle, everybody reports once (docs/theory/blanket.md).
//
// Statement (Balle, Bell, Gascon, Nissim, "The Privacy Blanket of the Shuffle Model", CRYPTO 2019, section 5,
// in the hockey-stick form). Let omega be a measure below R(x) for every record x, and a = R(x1), b = R(x1')
// the victim's two laws, E = e^epsilon. Then, whatever the other n - 1 clients hold,
//     delta(epsilon) <= (1/n) E( G_1 + ... + G_n )_+ ,   G = (a - E b)/omega with density omega, else 0.
// Instances: any epsilon0-LDP randomizer (a two-point law that dominates every G), Laplace noise
// on an interval; k-ary randomized response is in k_rr.h. Replace-one, shuffler honest, proven. Pure
// functions and an immutable class; call from any thread. epsilon >= 0, epsilon0 > 0, n >= 1; beyond epsilon0
// the answer is 0.
#pragma once

#include <vector>

#include "muster/accounting/theorems/shared/mean_of_terms.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// Any epsilon0-LDP randomizer:  G = e^epsilon0 - E : q ;  1 - E e^epsilon0 : q ;  else 0, q = 1/(e^epsilon0 +
// 1).
numerics::Enclosure pure_blanket_delta(double n, double epsilon0, double epsilon);

// The victim and N others, N ~ Bin(n - 1, chance), of any epsilon0-LDP randomizer, all reporting:
//     E_N B(N+1) = (1 / (n chance)) E( G_1 + ... + G_n )_+ ,
// G the term above with probability chance, else 0.
// Rates in [chance, 1] are such a shuffle (docs/theory/unequal-rates.md). 0 < chance <= 1.
numerics::Enclosure thinned_blanket_delta(double n, double chance, double epsilon0, double epsilon);

// Laplace noise of scale 1/epsilon0 on records in an interval of width 1. The continuous law of G is split
// outward on a grid for the upper end and merged to its means for the lower one.
class LaplaceBlanket {
 public:
  LaplaceBlanket(double n, double epsilon0);
  numerics::Enclosure delta(double epsilon) const;

 private:
  double n_;
  double epsilon0_;
  std::vector<long double> levels_;        // ln of the ratio of the two end densities, from 0 to epsilon0
  std::vector<long double> split_masses_;  // at the levels: mean-preserving split
  std::vector<long double> merged_levels_;
  std::vector<long double> merged_masses_;
};

// Plain shuffle of an (epsilon0, delta0)-LDP randomizer:
//     delta <= delta0 + 2 (1+E) (n-1) e^-epsilon0 delta0 + (1/n) E(sum G)_+ ,
// G as for pure_blanket_delta with delta0/(e^(2 epsilon0)-1) more mass on the positive value and e^epsilon0
// times that less on the negative one. Proven; 1 where it says nothing.
numerics::Enclosure approximate_blanket_delta(double n, double epsilon0, double delta0, double epsilon);

}  // namespace muster::accounting
