// The law of the sum of the privacy losses of many rounds, computed by convolution with repeated squaring.
// Convolution always gives an answer, but a contour integral over few frequencies (composed_delta.h) is
// faster.
//
// To convolve two laws of at most a few thousand atoms, each atom of one law is added to each atom of
// the other law, and the sums are put into about as many cells as a law has atoms. With
// u = e^{-loss}, the integrand of a divergence, (1 - u e^epsilon)_+, is convex in u. By Jensen's
// inequality, the following steps give bounds:
// - from above, a sum is split between the two ends of its cell so that its mean of u is kept (connect the
//   dots);
// - from below, the sums in a cell are merged into one atom at their mean of u.
// All terms are positive, so the rounding error is relative to the result, however small delta is. The work
// grows with the logarithm of the number of rounds. Cells are narrow near the losses that contribute most to
// delta. Hints about the question predict these losses (loss_cells.h); poor hints make the answer looser but
// never invalid. A cell of width w adds about w^2/6 times its mass to the variance. A thousand cells add
// about 1e-5 of the variance in each squaring. An object does not change after its construction, so threads
// may share it. See docs/theory/composition.md, "By convolution".
#pragma once

#include <span>
#include <vector>

#include "muster/composition/composed_delta.h"
#include "muster/numerics/side.h"

namespace muster::accounting {

class ConvolvedLosses {
 public:
  using Side = numerics::Side;

  // Hints for placing cells: the epsilon at which delta will be evaluated, and one or more tilts, which are
  // guesses of the rate -d(ln delta)/d(epsilon) there.
  struct Evaluation {
    double epsilon;
    std::vector<double> tilts;
  };

  // Infinite losses are taken as zero. `cells` is the number of cells of every law (loss_cells.h); at most a
  // few thousand.
  ConvolvedLosses(std::span<const RepeatedLoss> parts, const Evaluation& evaluation, std::size_t cells,
                  Side side);

  // An upper or (if `side` is below) a lower bound of E (1 - e^{epsilon - S})_+ for the sum S of all losses.
  // `epsilon` may be negative.
  double delta(double epsilon) const;

 private:
  std::vector<double> points_;  // the atoms' points, increasing
  std::vector<double> masses_;
  double slack_ = 0;  // a bound on the relative error of a mass, including all convolutions
  Side side_;
};

}  // namespace muster::accounting
