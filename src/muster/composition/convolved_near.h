// Convolves losses (convolved_losses.h) with cells that are narrow where one question needs them to be.
//
// A first, rough law for lower bounds has few cells, placed by the saddle points of several epsilons. This
// law roughly gives the epsilon and the delta of the answer, how fast delta falls at this epsilon, and how
// far from it most of the mass lies. These values place the cells of a second law, which gives the answer. A
// poor guess makes the answer looser but never invalid. Pure functions; call from any thread.
#pragma once

#include <span>

#include "muster/composition/convolved_losses.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// The law of the sum of all losses, with bounds that are tightest near the epsilon at which delta is `target`
// > 0.
ConvolvedLosses convolved_near(std::span<const RepeatedLoss> parts, double spacing, double target,
                               ConvolvedLosses::Side side);

// An enclosure of delta at `epsilon`, which may be negative. Infinite losses are taken as zero.
numerics::Enclosure convolved_at(std::span<const RepeatedLoss> parts, double spacing, double epsilon,
                                 Ends ends = Ends::both);

// An epsilon at which Chernoff's bound on delta is at most `target`, with infinite losses taken as zero;
// infinity if the search finds no such epsilon.
double chernoff_epsilon(std::span<const RepeatedLoss> parts, double spacing, double target);

// A starting point for a search: about the epsilon at which delta would be `target` if the sum of all losses
// were normal with the same mean and variance.
double expected_epsilon(std::span<const RepeatedLoss> parts, double spacing, double target);

}  // namespace muster::accounting
