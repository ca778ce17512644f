// Lower bounds of the divergence of T rounds by the law of their summed privacy loss, in two ways: for
// small losses and for large ones.
//
// Small losses use cells of different widths. Outcomes whose losses fall into one cell become one outcome,
// as in pair.h; but the cells are narrow near the bulk of the mass and wide far from it, so that many
// rounds of tiny losses with a few large ones among them keep their spread. The loss of precision is of
// second order in the width of a cell where that is small against 1.
//
// Large losses use a lattice. A cell wider than 1 counts little more than its smallest loss, so that the
// cells of pair.h would lose half a cell per round. Here each loss is rounded at random to one of its two
// neighbours on a lattice, with its mean kept. The rounding errors are independent of everything before
// them, have mean 0 and known ranges c_i; by Hoeffding's inequality their sum exceeds t with probability
// at most exp(-2 t^2 / sum c_i^2). So, for any s > 0,
//
//     delta(epsilon) >= (1 - e^-s) ( P(rounded sum > epsilon + s + t) - exp(-2 t^2 / sum c_i^2) ).
//
// Values; any thread.
#pragma once

#include <vector>

#include "tests/reference/pair.h"

namespace muster::reference {

// A lower bound of the divergence of `rounds` copies of the pair at epsilon, by the lattice for large losses.
// `aim`: about how large the divergence is.
long double large_loss_delta(const Pair& pair, double rounds, double epsilon, double aim);

// The law of the sum of the losses of `rounds` rounds, in cells of different widths.
class SummedLosses {
 public:
  // `upper`: about the epsilon at which delta will be asked; `aim`: about the delta there.
  SummedLosses(const Pair& pair, double rounds, double upper, double aim);
  // A lower bound of the divergence at epsilon.
  long double delta(double epsilon) const;

  struct Atom {
    long double mass, loss;  // under P
  };

 private:
  std::vector<Atom> atoms_;
};

}  // namespace muster::reference
