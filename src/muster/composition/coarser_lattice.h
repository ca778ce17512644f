// Moves the losses of some rounds onto a coarser lattice, for rounds whose contour integral on the finer
// lattice would have too many terms. This happens if most losses are small, which requires a fine lattice,
// and a few are in the thousands, which requires a long period of the trapezoidal rule
// (numerics/sums/contour.h).
//
// For an upper bound, the mass of a loss is split between the two neighbouring points of the coarser
// lattice so that the mean of e^{-loss} is kept (connect the dots). For a lower bound, it is moved to the
// next lattice point below. Both bounds hold for any spacing. To first order, the move changes the epsilon
// of T rounds by T ln(M'/M) / c. Here M and M' are a round's moment generating functions at c before and
// after the move, and c is the saddle point for epsilon. The spacing is doubled as long as the relative
// change of epsilon is at most `change`. Pure function; call from any thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "muster/composition/composed_delta.h"
#include "muster/numerics/side.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::accounting {

struct CoarserLosses {
  std::vector<numerics::AtomicLaw> laws;  // the moved laws, one for each part, in the order of the parts
  double spacing;

  // The rounds `finer` with these laws in place of their own. The result refers to `laws`, which must outlive
  // it.
  std::vector<RepeatedLoss> parts(std::span<const RepeatedLoss> finer) const;
};

// The relative change of epsilon that a move may cause by default.
inline constexpr double kHarmlessChange = 5e-5;

// The losses on the coarsest lattice that is accurate enough near `epsilon`. The result is nullopt if no
// lattice coarser than `spacing` is accurate enough, if `epsilon` is not positive, if trivial_value()
// (loss_integral.h) gives the answer, or if a loss is not a multiple of `spacing`.
std::optional<CoarserLosses> coarser_losses(std::span<const RepeatedLoss> parts, double spacing,
                                            double epsilon, numerics::Side side,
                                            double change = kHarmlessChange);

}  // namespace muster::accounting
