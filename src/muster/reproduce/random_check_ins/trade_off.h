// Compares the fixed window with averaged updates at equal privacy, for the claim that the fixed window is
// better where few updates are made and the loss is not smooth. The function is pure.
#pragma once

#include "muster/reproduce/paper_figure.h"

namespace muster::reproduce {

// Returns the finding about the claim 002-theorem-3-5-non-smooth.
Finding non_smooth_trade_off();

}  // namespace muster::reproduce
