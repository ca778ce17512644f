// These functions sort the bounds of a statement, and set the lower value of the proven bounds. They are
// internal to this folder, touch only their arguments, and may be called from any thread.
#pragma once

#include <optional>

#include "muster/accounting/statement.h"

namespace muster::accounting {

// Returns the value, or nullopt if it is infinite or NaN.
std::optional<double> finite(double value);

// Returns the largest lower value of the statement's bounds, or 0 if no bound has a lower value.
double lower_of(const Statement& statement);

// Sorts the statement's bounds, copies the first into `best`, and sets the lower value of `best` and of every
// proven upper bound to `lower`. Limits the numerical error of a proven bound to upper - lower. Throws
// Error(internal) if a proven upper bound is below `lower`.
void sort_bounds(Statement& statement, double lower);

}  // namespace muster::accounting
