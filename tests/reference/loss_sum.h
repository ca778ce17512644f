// T rounds by the law of their summed loss, from below: two ways, for small losses and for large ones.
//
// Cells of every width. Outcomes whose losses fall into one cell are one outcome, as in pair.h; but the cells
// are narrow where the mass is and wide far out, so that many rounds of tiny losses with a few large ones
// among them keep their spread. What is lost is of second order in a width that is small against 1.
//
// A lattice, for large losses. A cell of losses hides all but its smallest one where it is wider than 1: the
// masses of pair.h then lose half a cell a round. Here each loss is put on a lattice with its mean kept, on
// one of its two neighbours by chance. The errors are independent of everything before them, have mean 0 and
// known ranges c_i, so that by Hoeffding their sum passes t with probability exp(-2 t^2 / sum c_i^2) at most;
// and for any s > 0
//
//     delta(epsilon) >= (1 - e^-s) ( P(rounded sum > epsilon + s + t) - exp(-2 t^2 / sum c_i^2) ).
//
// Values; any thread.
#pragma once

#include <vector>

#include "tests/reference/pair.h"

namespace muster::reference {

// At most the divergence of T copies of the pair at epsilon. `aim`: about how large it is.
long double large_loss_delta(const Pair& pair, double rounds, double epsilon, double aim);

// The law of the sum of T losses, in cells of every width.
class SummedLosses {
 public:
  // `upper`: about the epsilon that will be asked; `aim`: about the delta.
  SummedLosses(const Pair& pair, double rounds, double upper, double aim);
  // At most the divergence at epsilon.
  long double delta(double epsilon) const;

  struct Atom {
    long double mass, loss;  // under P
  };

 private:
  std::vector<Atom> atoms_;
};

}  // namespace muster::reference
