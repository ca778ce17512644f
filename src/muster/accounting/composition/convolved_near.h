// A convolved law with its cells where a question needs them.
//
// A first law of few cells, from below, is laid out for whatever Chernoff's bound suggests; what it says
// about the question (the epsilon, how fast delta falls there, how far the bulk is) lays out the second. Poor
// guesses cost tightness, never truth. Pure functions; call from any thread.
#pragma once

#include <span>

#include "muster/accounting/composition/convolved_losses.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// For the epsilon at which delta reaches `target` > 0.
ConvolvedLosses convolved_near(std::span<const RepeatedLoss> parts, double spacing, double target,
                               ConvolvedLosses::Side side);

// Delta at an epsilon of any sign.
numerics::Enclosure convolved_at(std::span<const RepeatedLoss> parts, double spacing, double epsilon,
                                 Ends ends = Ends::both);

// Where Chernoff's bound for finite losses is at most `target`.
double chernoff_epsilon(std::span<const RepeatedLoss> parts, double spacing, double target);

// Where a normal loss of the same mean and variance would reach `target`, nearly: where to begin a search.
double expected_epsilon(std::span<const RepeatedLoss> parts, double spacing, double target);

}  // namespace muster::accounting
