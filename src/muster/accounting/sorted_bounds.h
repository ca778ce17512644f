// Puts the bounds of a statement in order, and gives the proven ones its lower value. Internal to the
// accountant.
#pragma once

#include <optional>

#include "muster/accounting/statement.h"

namespace muster::accounting {

// The value, or nothing if it is infinite or not a number.
std::optional<double> finite(double value);

// The largest lower value of the statement's bounds; 0 if there is none.
double lower_of(const Statement& statement);

// Gives every proven upper bound and the best bound the lower value, and puts the best bound first. Throws
// Error(internal) if a proven upper bound is below that value.
void sort_bounds(Statement& statement, double lower);

}  // namespace muster::accounting
