// The losses of some rounds moved onto a coarser lattice, where the finer one makes a contour integral too
// long: a bulk of small losses asks for a short step, and a few losses of thousands for a long period.
//
// From above, a loss is split between the two points of the coarser lattice around it, its mean of e^{-loss}
// kept (connect the dots); from below, it is put on the one below it. Either is valid by itself. What that
// does to epsilon is estimated as T (log M' - log M) / c, M and M' the moment generating functions at the
// tilt c of the answer: the coarsest lattice that hardly matters is taken. Pure function.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "muster/accounting/composition/composed_delta.h"
#include "muster/numerics/side.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::accounting {

struct CoarserLosses {
  std::vector<numerics::AtomicLaw> laws;  // one for each part, in their order
  double spacing;

  // The same rounds with these laws, which are referred to.
  std::vector<RepeatedLoss> parts(std::span<const RepeatedLoss> finer) const;
};

// For a question whose answer is about `epsilon`; none where no lattice coarser than `spacing` will do.
std::optional<CoarserLosses> coarser_losses(std::span<const RepeatedLoss> parts, double spacing,
                                            double epsilon, numerics::Side side);

}  // namespace muster::accounting
