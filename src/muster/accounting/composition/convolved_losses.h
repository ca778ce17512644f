// The loss of many rounds by repeated squaring: slower than a contour integral where that is short, and the
// way that always ends.
//
// A law of at most some thousand atoms is convolved with another pair by pair, and the sums are put into as
// many cells. With u = e^{-loss}, a divergence (1 - e^epsilon u)_+ is convex in u, so
//   - from above, a sum is split to the two ends of its cell with the mean of u kept (connect the dots);
//   - from below, the sums in a cell become one atom at the mean of u.
// Every term is positive: round-off is relative, whatever epsilon or delta, and the work depends on the
// number of rounds alone, through its binary digits. Cells are narrow where e^{cx} times the mass is large
// for one of the tilts c that the question suggests: poor ones cost tightness, never truth. What a cell of
// width w adds to the variance is w^2/6 of its mass, and a thousand cells add some 1e-5 of the variance a
// squaring. Immutable; share freely.
#pragma once

#include <vector>

#include "muster/accounting/composition/composed_delta.h"
#include "muster/numerics/side.h"

namespace muster::accounting {

class ConvolvedLosses {
 public:
  using Side = numerics::Side;

  // About which epsilon will be asked, and how fast delta may fall there: not empty.
  struct Interest {
    double epsilon;
    std::vector<double> tilts;
  };

  // Infinite losses are taken as zero. `cells`: at most a few thousand.
  ConvolvedLosses(std::span<const RepeatedLoss> parts, const Interest& interest, std::size_t cells,
                  Side side);

  // E (1 - e^{epsilon - S})_+ of the sum S, at epsilon of any sign: an upper or a lower end.
  double delta(double epsilon) const;

 private:
  std::vector<double> points_;  // increasing
  std::vector<double> masses_;
  double slack_ = 0;  // relative error of a mass
  Side side_;
};

}  // namespace muster::accounting
