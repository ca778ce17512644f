// Sorts the bounds of a statement, and sets the lower value of the proven bounds. Internal to the accountant.
// The functions touch only their arguments; call from any thread.
#pragma once

#include <optional>

#include "muster/accounting/statement.h"

namespace muster::accounting {

// The value, or nullopt if it is infinite or NaN.
std::optional<double> finite(double value);

// The largest lower value of the statement's bounds; 0 if there is none.
double lower_of(const Statement& statement);

// Sorts the statement's bounds, copies the first into `best`, and sets the lower value of `best` and of every
// proven upper bound to `lower`. Limits the numerical error of a proven bound to upper - lower. Throws
// Error(internal) if a proven upper bound is below `lower`.
void sort_bounds(Statement& statement, double lower);

}  // namespace muster::accounting
