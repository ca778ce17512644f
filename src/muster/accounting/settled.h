// Puts the bounds of a statement in order, and gives the proven ones its lower value. Internal to the
// accountant.
#pragma once

#include "muster/accounting/statement.h"

namespace muster::accounting {

// The largest lower value of the statement's bounds; 0 if there is none.
double lower_of(const Statement& statement);

// Gives every proven upper bound the lower value, and puts the best bound first. Throws Error(internal) if a
// bound is below that value.
void settle(Statement& statement, double lower);

}  // namespace muster::accounting
