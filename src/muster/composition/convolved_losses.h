// The law of the privacy loss of many rounds, by repeated squaring. Where a contour integral
// (composed_delta.h) is short, the integral is faster; convolution always answers.
//
// Two laws of at most some thousand atoms are convolved by adding each atom of one to each of the other, and
// the sums are put into as many cells. With u = e^{-loss} the integrand (1 - e^epsilon u)_+ of a divergence
// is convex in u, so that by Jensen's inequality
// - from above, a sum is split to the two ends of its cell with the mean of u kept (connect the dots);
// - from below, the sums in a cell become one atom at the mean of u.
// Every term is positive: the round-off is relative, however small delta is, and the work depends on the
// number of rounds only through its binary digits. Cells are narrow about losses x for which e^{cx} times the
// mass is large for one of the tilts c that the question suggests; poor tilts make the answer looser and
// never invalid. A cell of width w adds w^2/6 times its mass to the variance, and a thousand cells add about
// 1e-5 of the variance in each squaring. Immutable; share freely. See docs/theory/composition.md, "By
// convolution".
#pragma once

#include <span>
#include <vector>

#include "muster/composition/composed_delta.h"
#include "muster/numerics/side.h"

namespace muster::accounting {

class ConvolvedLosses {
 public:
  using Side = numerics::Side;

  // The epsilon that will be asked about, and at least one tilt: a rate d(-ln delta)/d(epsilon) at which
  // delta may fall there.
  struct Evaluation {
    double epsilon;
    std::vector<double> tilts;
  };

  // Infinite losses are taken as zero. `cells` is the number of cells of every law (loss_cells.h), a few
  // thousand at most.
  ConvolvedLosses(std::span<const RepeatedLoss> parts, const Evaluation& evaluation, std::size_t cells,
                  Side side);

  // E (1 - e^{epsilon - S})_+ of the sum S at epsilon of any sign: an upper or a lower
  // bound, as `side` says.
  double delta(double epsilon) const;

 private:
  std::vector<double> points_;  // increasing
  std::vector<double> masses_;
  double slack_ = 0;  // relative error of a mass, all rounds together
  Side side_;
};

}  // namespace muster::accounting
