// The losses of some rounds moved onto a coarser lattice, for rounds where a contour integral on the finer
// one would be too long. That happens when the bulk of the losses is small, which asks for a short step, and
// a few are in the thousands, which asks for a long period.
//
// From above, a loss is split between the two points of the coarser lattice around it so that its mean of
// e^{-loss} is kept (connect the dots); from below, it is put on the lattice point below it. Both are valid
// whatever the spacing. To first order this moves the epsilon of T rounds by T (log M' - log M) / c, where M
// and M' are a round's moment generating functions at c before and after, and c is the tilt of the answer.
// The coarsest lattice that moves epsilon by less than 5e-5 of itself is taken. Pure function.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "muster/composition/composed_delta.h"
#include "muster/numerics/side.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::accounting {

struct CoarserLosses {
  std::vector<numerics::AtomicLaw> laws;  // one per part, in the order of the parts
  double spacing;

  // The same rounds with these laws. The result refers to `laws`, which must outlive it.
  std::vector<RepeatedLoss> parts(std::span<const RepeatedLoss> finer) const;
};

// The coarsest lattice that is good enough for a question whose answer is about `epsilon`; nullopt where
// none coarser than `spacing` is.
std::optional<CoarserLosses> coarser_losses(std::span<const RepeatedLoss> parts, double spacing,
                                            double epsilon, numerics::Side side);

}  // namespace muster::accounting
