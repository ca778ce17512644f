// Lower bounds of the divergence of T rounds by the law of their summed privacy loss, with one method for
// small losses and another for large losses.
//
// Small losses use cells of different widths. Outcomes whose losses fall into one cell become one outcome, as
// in pair.h. The cells are narrow near the bulk of the mass and wide far from it, so a law of many tiny
// losses and a few large ones keeps its spread. The error is of second order in the width of a cell, if the
// width is small compared with 1.
//
// Large losses use a lattice. In pair.h, a cell wider than 1 counts little more than its smallest loss, so
// half a cell would be lost in every round. Here each loss is rounded at random to one of the two nearest
// points of the lattice, so that its mean is kept. Given all earlier losses, a rounding error has mean 0 and
// a known range c_i. By Hoeffding's inequality, the sum of the errors exceeds t with probability at most
// exp(-2 t^2 / sum c_i^2). So, for any s > 0,
//
//     delta(epsilon) >= (1 - e^-s) ( P(rounded sum > epsilon + s + t) - exp(-2 t^2 / sum c_i^2) ).
//
// These are plain values, which any thread may use.
#pragma once

#include <vector>

#include "tests/reference/pair.h"

namespace muster::reference {

// Returns a lower bound of the divergence of `rounds` copies of the pair at epsilon, by the lattice for
// large losses. `aim` is the approximate size of the divergence.
long double large_loss_delta(const Pair& pair, double rounds, double epsilon, double aim);

// The law of the sum of the losses of `rounds` rounds, in cells of different widths.
class SummedLosses {
 public:
  // `upper` is roughly the epsilon at which delta will be asked, and `aim` is roughly the delta there.
  SummedLosses(const Pair& pair, double rounds, double upper, double aim);
  // Returns a lower bound of the divergence at epsilon.
  long double delta(double epsilon) const;

  struct Atom {
    long double mass, loss;  // the mass under P, and the loss
  };

 private:
  std::vector<Atom> atoms_;
};

}  // namespace muster::reference
