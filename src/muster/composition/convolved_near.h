// Convolved laws (convolved_losses.h) whose cells are narrow where one question needs them to be.
//
// A first, rough law from below has few cells, placed by the saddle points that Chernoff's bound suggests. It
// shows roughly where the answer lies, how fast delta falls there and how far away the bulk of the loss is;
// this places the cells of the second law, which gives the answer. A poor guess makes the answer looser and
// never invalid. Pure functions; call from any thread.
#pragma once

#include <span>

#include "muster/composition/convolved_losses.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// The law of the sum of all losses, most precise near the epsilon at which delta reaches `target` > 0.
ConvolvedLosses convolved_near(std::span<const RepeatedLoss> parts, double spacing, double target,
                               ConvolvedLosses::Side side);

// An enclosure of delta at an epsilon of any sign, infinite losses taken as zero.
numerics::Enclosure convolved_at(std::span<const RepeatedLoss> parts, double spacing, double epsilon,
                                 Ends ends = Ends::both);

// An epsilon at which Chernoff's bound on delta, infinite losses taken as zero, is at most `target`; infinity
// if there is none that the search reaches.
double chernoff_epsilon(std::span<const RepeatedLoss> parts, double spacing, double target);

// About the epsilon at which a normal loss of the same mean and variance would have the delta `target`: a
// search begins there.
double expected_epsilon(std::span<const RepeatedLoss> parts, double spacing, double target);

}  // namespace muster::accounting
