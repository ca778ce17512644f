// The epsilon at which rounds of known losses reach a delta, from either side.
//
// A contour integral (composed_delta.h) answers where it is short, whatever the epsilon asked. Once it is
// not, or leaves much open, the law of the sum is convolved for this delta (convolved_near.h) and answers.
// Pure functions; call from any thread.
#pragma once

#include <span>

#include "muster/accounting/composition/composed_delta.h"

namespace muster::accounting {

// The least epsilon >= 0 whose delta's upper end is at most `target`; infinity when the mass at infinity
// alone passes it.
double composed_epsilon_upper(std::span<const RepeatedLoss> parts, double spacing, double target);

// The largest epsilon >= 0 whose delta's lower end is at least `target`; 0 when there is none.
double composed_epsilon_lower(std::span<const RepeatedLoss> parts, double spacing, double target);

}  // namespace muster::accounting
